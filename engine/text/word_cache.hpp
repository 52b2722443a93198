// Remembers, within one call, where the tokens of a word stand in the output, so that a repeated word costs
// one look-up.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/token.hpp"

namespace orthros::text {

class WordCache {
 public:
  // Appends the tokens of `word`: those of its first occurrence, or what `encode()` appends, which returns a
  // Status. `word` and `output` must outlive the cache; nothing else may remove tokens from `output`.
  template <class Encode>
  Status append(std::string_view word, std::vector<TokenId>& output, const Encode& encode) {
    if (word.size() > kLongestWord) return encode();
    const auto [entry, isNew] = spans_.try_emplace(word, Span{output.size(), 0});
    if (isNew) {
      ORTHROS_TRY(encode());
      entry->second.count = output.size() - entry->second.begin;
      return {};
    }
    for (size_t i = 0; i < entry->second.count; ++i) {
      const TokenId token = output[entry->second.begin + i];
      output.push_back(token);
    }
    return {};
  }

 private:
  static constexpr size_t kLongestWord = 64;  // bytes; longer ones hardly repeat

  struct Span {
    size_t begin, count;
  };
  std::unordered_map<std::string_view, Span> spans_;
};

}  // namespace orthros::text
