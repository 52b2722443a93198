// SentencePiece byte pairs (tokenizer.ggml.model "llama"): characters merge into the neighbour pair of
// highest score; what is no token is spelled in byte tokens. Spaces are written U+2581.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/text/pair_merging.hpp"
#include "engine/text/token_table.hpp"

namespace orthros::text {

class SentencePieceEncoder {
 public:
  // `tokens` must outlive the encoder. Error `malformed`: scores of another length or not finite; characters
  // that the vocabulary can spell neither in bytes nor as an unknown token.
  static Result<SentencePieceEncoder> create(const VocabularyData& data, const TokenTable& tokens);

  // Appends the tokens of `text`, valid UTF-8, in which no special token is looked for. `spacePrefix` puts a
  // space before it.
  Status encode(std::string_view text, bool spacePrefix, std::vector<TokenId>& output,
                const CancelToken* cancel) const;

 private:
  struct Entry {
    TokenId token;
    float score;
  };

  SentencePieceEncoder() = default;
  Status indexBytes(const VocabularyData& data, const TokenTable& tokens);
  void indexPieces(const VocabularyData& data, const TokenTable& tokens);
  size_t wordLength(std::string_view text) const;
  Status encodeWord(std::string_view word, PairMerger& merger, std::vector<TokenId>& output,
                    const CancelToken* cancel) const;
  void spell(std::string_view character, std::vector<TokenId>& output) const;

  std::unordered_map<std::string_view, Entry> pieces_;  // by text as the file writes it
  std::array<TokenId, 256> byteTokens_{};               // kNoToken only where there is an unknown token
  TokenId unknown_ = kNoToken;
  bool spacesOnlyLead_ =
      true;  // no token holds a space after another character, so words can be taken one by one
};

}  // namespace orthros::text
