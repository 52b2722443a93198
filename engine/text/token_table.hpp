// The tokens of a vocabulary: texts, kinds, bytes and the way back from a text to its number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/token.hpp"
#include "engine/text/vocabulary_data.hpp"

namespace orthros::text {

inline constexpr std::string_view kSpaceLetter = "\xE2\x96\x81";  // U+2581, SentencePiece's space

class TokenTable {
 public:
  // Takes `data.tokens` and `data.kinds`. Error `malformed`: no tokens, a token that is not UTF-8, two tokens
  // with one text, kinds of another length, a byte token that names no byte.
  static Result<TokenTable> create(VocabularyData& data);

  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }
  std::string_view text(TokenId token) const { return texts_[token]; }
  TokenKind kind(TokenId token) const { return kinds_[token]; }
  void setKind(TokenId token, TokenKind kind) { kinds_[token] = kind; }
  // The bytes the token stands for.
  std::string_view piece(TokenId token) const;
  std::optional<TokenId> find(std::string_view text) const;

  // Whether merging characters may lead to this token.
  bool isText(TokenId token) const {
    const TokenKind kind = kinds_[token];
    return kind == TokenKind::normal || kind == TokenKind::userDefined || kind == TokenKind::unused;
  }

 private:
  Status checkTexts(const std::string& fileName);
  Status makePieces(VocabularyModel model, const std::string& fileName);

  std::vector<std::string> texts_;
  std::vector<TokenKind> kinds_;
  std::string pieceBytes_;                             // all pieces, one after the other
  std::vector<size_t> pieceEnds_;                      // [token]
  std::unordered_map<std::string_view, TokenId> ids_;  // views into texts_
};

// The byte that "<0x0A>" names.
std::optional<uint8_t> byteOfTokenText(std::string_view text);

}  // namespace orthros::text
