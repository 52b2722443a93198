#include "engine/text/token_table.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/text/byte_level.hpp"
#include "engine/text/unicode.hpp"

namespace orthros::text {
namespace {

std::string withPlainSpaces(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t letter = std::min(text.find(kSpaceLetter, at), text.size());
    result.append(text.substr(at, letter - at));
    if (letter < text.size()) result.push_back(' ');
    at = letter + kSpaceLetter.size();
  }
  return result;
}

std::string tokenName(TokenId token) {
  return "token " + std::to_string(token);
}

tl::unexpected<Error> malformed(const std::string& fileName, const char* key, std::string happened) {
  return fail(ErrorCode::malformed, fileName + ": " + key, std::move(happened),
              "The file is damaged; get it again");
}

constexpr const char* kTokensKey = "tokenizer.ggml.tokens";

}  // namespace

std::optional<uint8_t> byteOfTokenText(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
  uint8_t byte = 0;
  const char* end = text.data() + 5;
  const auto parsed = std::from_chars(text.data() + 3, end, byte, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return byte;
}

Result<TokenTable> TokenTable::create(VocabularyData& data) {
  TokenTable table;
  table.texts_ = std::move(data.tokens);
  table.kinds_ = std::move(data.kinds);
  if (table.kinds_.empty()) table.kinds_.assign(table.texts_.size(), TokenKind::normal);
  if (table.texts_.empty()) return malformed(data.name, kTokensKey, "holds no tokens");
  if (table.texts_.size() > UINT32_MAX)
    return malformed(data.name, kTokensKey, "holds more than 2^32 tokens");
  if (table.kinds_.size() != table.texts_.size()) {
    return malformed(data.name, "tokenizer.ggml.token_type",
                     "has " + std::to_string(table.kinds_.size()) + " entries for " +
                         std::to_string(table.texts_.size()) + " tokens");
  }
  ORTHROS_TRY(table.checkTexts(data.name));
  ORTHROS_TRY(table.makePieces(data.model, data.name));
  return table;
}

Status TokenTable::checkTexts(const std::string& fileName) {
  ids_.reserve(texts_.size());
  for (TokenId token = 0; token < size(); ++token) {
    const std::string& text = texts_[token];
    if (!isValidUtf8(text)) return malformed(fileName, kTokensKey, tokenName(token) + " is not UTF-8");
    if (text.empty()) continue;  // a gap in the numbering: no text leads to it
    const auto [found, isNew] = ids_.emplace(text, token);
    if (!isNew) {
      return malformed(fileName, kTokensKey,
                       tokenName(found->second) + " and " + tokenName(token) + " are both '" + text + "'");
    }
  }
  return {};
}

Status TokenTable::makePieces(VocabularyModel model, const std::string& fileName) {
  pieceEnds_.reserve(texts_.size());
  for (TokenId token = 0; token < size(); ++token) {
    const std::string& text = texts_[token];
    if (kinds_[token] == TokenKind::byte) {
      const auto byte = byteOfTokenText(text);
      if (!byte) {
        return malformed(fileName, kTokensKey,
                         tokenName(token) + ", '" + text + "', is a byte token but names no byte");
      }
      pieceBytes_.push_back(static_cast<char>(*byte));
    } else if (kinds_[token] == TokenKind::normal || kinds_[token] == TokenKind::unused) {
      pieceBytes_ += model == VocabularyModel::bytePair ? bytesOfLetters(text) : withPlainSpaces(text);
    } else {
      pieceBytes_ += text;
    }
    pieceEnds_.push_back(pieceBytes_.size());
  }
  return {};
}

std::string_view TokenTable::piece(TokenId token) const {
  const size_t begin = token == 0 ? 0 : pieceEnds_[token - 1];
  return std::string_view(pieceBytes_).substr(begin, pieceEnds_[token] - begin);
}

std::optional<TokenId> TokenTable::find(std::string_view text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace orthros::text
