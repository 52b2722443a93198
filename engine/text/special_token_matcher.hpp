// Finds special tokens in text: the leftmost, and of those that begin there the longest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/token.hpp"

namespace orthros::text {

class SpecialTokenMatcher {
 public:
  void add(std::string_view text, TokenId token);

  struct Match {
    size_t begin = 0, length = 0;  // bytes
    TokenId token = 0;
  };
  std::optional<Match> find(std::string_view text, size_t from) const;

 private:
  std::optional<Match> longestAt(std::string_view text, size_t begin) const;

  // A tree of bytes: node 0 is the root, an edge is found by node << 8 | byte.
  std::unordered_map<uint64_t, uint32_t> edges_;
  std::vector<std::optional<TokenId>> tokens_ = {std::nullopt};  // [node]
  std::array<bool, 256> begins_{};
};

}  // namespace orthros::text
