// Byte-level byte pairs (tokenizer.ggml.model "gpt2"): words by pre-tokenizer, bytes merged in order of rank.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/text/pair_merging.hpp"
#include "engine/text/pretokenizer.hpp"
#include "engine/text/token_table.hpp"

namespace orthros::text {

class BytePairEncoder {
 public:
  // `tokens` must outlive the encoder. Errors: `malformed` names a merge whose parts or whole are no tokens,
  // `unsupported` an unknown pre-tokenizer.
  static Result<BytePairEncoder> create(const VocabularyData& data, const TokenTable& tokens);

  // Appends the tokens of `text`, valid UTF-8, in which no special token is looked for. A byte without a
  // token becomes `unknown`, or nothing where the vocabulary has no such token (as in llama.cpp).
  Status encode(std::string_view text, std::vector<TokenId>& output, const CancelToken* cancel) const;

 private:
  BytePairEncoder(PreTokenizer preTokenizer, const TokenTable& tokens);
  Status readMerges(const VocabularyData& data);
  void indexBytes();
  void indexWords();
  Status encodeWord(std::string_view word, PairMerger& merger, std::vector<TokenId>& output,
                    const CancelToken* cancel) const;

  PreTokenizer preTokenizer_;
  const TokenTable* tokens_;
  std::array<TokenId, 256> byteTokens_{};           // kNoToken where the vocabulary has none
  std::unordered_map<uint64_t, PairMerge> merges_;  // by left token << 32 | right token
  std::unordered_map<std::string_view, TokenId>
      words_;  // by bytes; filled where whole words are taken unmerged
  TokenId unknown_ = kNoToken;
};

}  // namespace orthros::text
