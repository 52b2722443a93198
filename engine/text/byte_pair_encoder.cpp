#include "engine/text/byte_pair_encoder.hpp"

#include <string>
#include <utility>

#include "engine/text/byte_level.hpp"
#include "engine/text/unicode.hpp"
#include "engine/text/word_cache.hpp"

namespace orthros::text {
namespace {

uint64_t pairKey(TokenId left, TokenId right) {
  return (uint64_t{left} << 32) | right;
}

Status checkTextLength(std::string_view text) {
  if (text.size() < UINT32_MAX) return {};
  return fail(ErrorCode::tooLong, "text", "is longer than 4 GB", "Split it into smaller parts");
}

}  // namespace

Result<BytePairEncoder> BytePairEncoder::create(const VocabularyData& data, const TokenTable& tokens) {
  const PreTokenizerSpec* spec = findPreTokenizer(data.preTokenizer);
  if (!spec) {
    return fail(ErrorCode::unsupported, data.name + ": tokenizer.ggml.pre",
                "names the pre-tokenizer '" + data.preTokenizer + "', which this version does not know",
                "Known are: " + preTokenizerNames());
  }
  ORTHROS_ASSIGN(PreTokenizer preTokenizer, PreTokenizer::create(*spec));
  BytePairEncoder encoder(std::move(preTokenizer), tokens);
  ORTHROS_TRY(encoder.readMerges(data));
  encoder.indexBytes();
  if (spec->wholeWords) encoder.indexWords();
  if (data.unknown && tokens.kind(*data.unknown) == TokenKind::unknown) encoder.unknown_ = *data.unknown;
  return encoder;
}

BytePairEncoder::BytePairEncoder(PreTokenizer preTokenizer, const TokenTable& tokens)
    : preTokenizer_(std::move(preTokenizer)), tokens_(&tokens) {}

Status BytePairEncoder::readMerges(const VocabularyData& data) {
  merges_.reserve(data.merges.size());
  for (size_t rank = 0; rank < data.merges.size(); ++rank) {
    const std::string& merge = data.merges[rank];
    const auto malformed = [&](const std::string& happened) {
      return fail(ErrorCode::malformed, data.name + ": tokenizer.ggml.merges",
                  "merge " + std::to_string(rank) + ", '" + sanitizeUtf8(merge) + "', " + happened,
                  "The file is damaged; get it again");
    };
    const size_t space = merge.find(' ', 1);
    if (space == std::string::npos || space + 1 == merge.size())
      return malformed("is not two tokens and a space");
    const std::string_view leftText = std::string_view(merge).substr(0, space);
    const std::string_view rightText = std::string_view(merge).substr(space + 1);
    const auto left = tokens_->find(leftText);
    const auto right = tokens_->find(rightText);
    if (!left || !right) return malformed("has a part that is no token");
    const auto whole = tokens_->find(std::string(leftText) + std::string(rightText));
    if (!whole) return malformed("gives a text that is no token");
    if (!tokens_->isText(*whole)) continue;  // plain text must not become a control token
    merges_.try_emplace(pairKey(*left, *right), PairMerge{static_cast<double>(rank), *whole});
  }
  return {};
}

void BytePairEncoder::indexBytes() {
  for (uint32_t byte = 0; byte < 256; ++byte) {
    std::string letter;
    appendUtf8(letter, letterOfByte(static_cast<uint8_t>(byte)));
    const auto token = tokens_->find(letter);
    byteTokens_[byte] = token && tokens_->kind(*token) == TokenKind::normal ? *token : kNoToken;
  }
}

void BytePairEncoder::indexWords() {
  for (TokenId token = 0; token < tokens_->size(); ++token) {
    if (tokens_->kind(token) == TokenKind::normal) words_.try_emplace(tokens_->piece(token), token);
  }
}

Status BytePairEncoder::encode(std::string_view text, std::vector<TokenId>& output,
                               const CancelToken* cancel) const {
  ORTHROS_TRY(checkTextLength(text));
  ORTHROS_ASSIGN(const std::vector<std::string_view> words, preTokenizer_.split(text));
  WordCache cache;
  PairMerger merger;
  constexpr size_t kWordsBetweenChecks = 4096;
  for (size_t i = 0; i < words.size(); ++i) {
    if (cancel && i % kWordsBetweenChecks == 0) ORTHROS_TRY(cancel->check("tokenizing"));
    ORTHROS_TRY(cache.append(words[i], output, [&] { return encodeWord(words[i], merger, output, cancel); }));
  }
  return {};
}

Status BytePairEncoder::encodeWord(std::string_view word, PairMerger& merger, std::vector<TokenId>& output,
                                   const CancelToken* cancel) const {
  if (const auto whole = words_.find(word); whole != words_.end()) {
    output.push_back(whole->second);
    return {};
  }
  std::vector<Symbol>& symbols = merger.symbols();
  symbols.clear();
  for (uint32_t i = 0; i < word.size(); ++i) {
    symbols.push_back({i, 1, byteTokens_[static_cast<uint8_t>(word[i])]});
  }
  const auto findMerge = [this](const Symbol& left, const Symbol& right) -> std::optional<PairMerge> {
    const auto found = merges_.find(pairKey(left.token, right.token));
    if (found == merges_.end()) return std::nullopt;
    return found->second;
  };
  ORTHROS_TRY(merger.run(findMerge, cancel));
  for (const Symbol& symbol : symbols) {
    if (symbol.length == 0) continue;
    const TokenId token = symbol.token != kNoToken ? symbol.token : unknown_;
    if (token != kNoToken) output.push_back(token);
  }
  return {};
}

}  // namespace orthros::text
