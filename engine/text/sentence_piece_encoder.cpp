#include "engine/text/sentence_piece_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/text/unicode.hpp"
#include "engine/text/word_cache.hpp"

namespace orthros::text {
namespace {

std::string withSpaceLetters(std::string_view text, bool spacePrefix) {
  std::string result;
  result.reserve(text.size() + text.size() / 2);
  if (spacePrefix) result.append(kSpaceLetter);
  for (const char c : text) {
    if (c == ' ') {
      result.append(kSpaceLetter);
    } else {
      result.push_back(c);
    }
  }
  return result;
}

size_t leadingSpaces(std::string_view text) {
  size_t length = 0;
  while (text.substr(length).starts_with(kSpaceLetter)) length += kSpaceLetter.size();
  return length;
}

tl::unexpected<Error> malformedScores(const std::string& fileName, std::string happened) {
  return fail(ErrorCode::malformed, fileName + ": tokenizer.ggml.scores", std::move(happened),
              "The file is damaged; get it again");
}

}  // namespace

Result<SentencePieceEncoder> SentencePieceEncoder::create(const VocabularyData& data,
                                                          const TokenTable& tokens) {
  if (data.scores.size() != tokens.size()) {
    return malformedScores(data.name, "has " + std::to_string(data.scores.size()) + " entries for " +
                                          std::to_string(tokens.size()) + " tokens");
  }
  const auto bad =
      std::find_if(data.scores.begin(), data.scores.end(), [](float s) { return !std::isfinite(s); });
  if (bad != data.scores.end()) {
    return malformedScores(data.name,
                           "entry " + std::to_string(bad - data.scores.begin()) + " is not a finite number");
  }
  SentencePieceEncoder encoder;
  ORTHROS_TRY(encoder.indexBytes(data, tokens));
  encoder.indexPieces(data, tokens);
  return encoder;
}

Status SentencePieceEncoder::indexBytes(const VocabularyData& data, const TokenTable& tokens) {
  if (data.unknown && tokens.kind(*data.unknown) == TokenKind::unknown) unknown_ = *data.unknown;
  byteTokens_.fill(kNoToken);
  for (TokenId token = 0; token < tokens.size(); ++token) {
    if (tokens.kind(token) != TokenKind::byte) continue;
    if (const auto byte = byteOfTokenText(tokens.text(token))) byteTokens_[*byte] = token;
  }
  const auto missing = std::find(byteTokens_.begin(), byteTokens_.end(), kNoToken);
  if (missing == byteTokens_.end() || unknown_ != kNoToken) return {};
  return fail(ErrorCode::malformed, data.name + ": tokenizer.ggml.tokens",
              "has neither a token for byte " + std::to_string(missing - byteTokens_.begin()) +
                  " nor an unknown token",
              "The file is damaged; get it again");
}

void SentencePieceEncoder::indexPieces(const VocabularyData& data, const TokenTable& tokens) {
  for (TokenId token = 0; token < tokens.size(); ++token) {
    const std::string_view text = tokens.text(token);
    if (text.empty() || !tokens.isText(token)) continue;
    pieces_.emplace(text, Entry{token, data.scores[token]});
    if (text.find(kSpaceLetter, leadingSpaces(text)) != std::string_view::npos) spacesOnlyLead_ = false;
  }
}

// The length of the first part of `text` that no token can reach across.
size_t SentencePieceEncoder::wordLength(std::string_view text) const {
  if (!spacesOnlyLead_) return text.size();
  return std::min(text.find(kSpaceLetter, leadingSpaces(text)), text.size());
}

Status SentencePieceEncoder::encode(std::string_view text, bool spacePrefix, std::vector<TokenId>& output,
                                    const CancelToken* cancel) const {
  const std::string spaced = withSpaceLetters(text, spacePrefix);
  if (spaced.size() >= UINT32_MAX) {
    return fail(ErrorCode::tooLong, "text", "is longer than 4 GB", "Split it into smaller parts");
  }
  WordCache cache;
  PairMerger merger;
  std::string_view rest = spaced;
  constexpr size_t kWordsBetweenChecks = 4096;
  for (size_t i = 0; !rest.empty(); ++i) {
    if (cancel && i % kWordsBetweenChecks == 0) ORTHROS_TRY(cancel->check("tokenizing"));
    const std::string_view word = rest.substr(0, wordLength(rest));
    rest.remove_prefix(word.size());
    ORTHROS_TRY(cache.append(word, output, [&] { return encodeWord(word, merger, output, cancel); }));
  }
  return {};
}

Status SentencePieceEncoder::encodeWord(std::string_view word, PairMerger& merger,
                                        std::vector<TokenId>& output, const CancelToken* cancel) const {
  std::vector<Symbol>& symbols = merger.symbols();
  symbols.clear();
  for (uint32_t at = 0; at < word.size();) {
    const uint32_t length = nextCodePoint(word.substr(at)).length;
    const auto piece = pieces_.find(word.substr(at, length));
    symbols.push_back({at, length, piece != pieces_.end() ? piece->second.token : kNoToken});
    at += length;
  }
  const auto findMerge = [&](const Symbol& left, const Symbol& right) -> std::optional<PairMerge> {
    const auto found = pieces_.find(word.substr(left.begin, left.length + right.length));
    if (found == pieces_.end()) return std::nullopt;
    return PairMerge{-static_cast<double>(found->second.score), found->second.token};
  };
  ORTHROS_TRY(merger.run(findMerge, cancel));
  for (const Symbol& symbol : symbols) {
    if (symbol.length == 0) continue;
    if (symbol.token != kNoToken) {
      output.push_back(symbol.token);
    } else {
      spell(word.substr(symbol.begin, symbol.length), output);
    }
  }
  return {};
}

void SentencePieceEncoder::spell(std::string_view character, std::vector<TokenId>& output) const {
  const auto tokenOf = [this](char byte) { return byteTokens_[static_cast<uint8_t>(byte)]; };
  const bool inBytes =
      std::all_of(character.begin(), character.end(), [&](char c) { return tokenOf(c) != kNoToken; });
  if (!inBytes) {
    output.push_back(unknown_);
    return;
  }
  for (const char byte : character) output.push_back(tokenOf(byte));
}

}  // namespace orthros::text
