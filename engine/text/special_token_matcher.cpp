#include "engine/text/special_token_matcher.hpp"

namespace orthros::text {
namespace {

uint64_t edgeKey(uint32_t node, char byte) {
  return (uint64_t{node} << 8) | static_cast<uint8_t>(byte);
}

}  // namespace

void SpecialTokenMatcher::add(std::string_view text, TokenId token) {
  if (text.empty()) return;
  begins_[static_cast<uint8_t>(text[0])] = true;
  uint32_t node = 0;
  for (const char byte : text) {
    const auto [edge, isNew] = edges_.try_emplace(edgeKey(node, byte), static_cast<uint32_t>(tokens_.size()));
    if (isNew) tokens_.emplace_back();
    node = edge->second;
  }
  tokens_[node] = token;
}

std::optional<SpecialTokenMatcher::Match> SpecialTokenMatcher::find(std::string_view text,
                                                                    size_t from) const {
  for (size_t begin = from; begin < text.size(); ++begin) {
    if (!begins_[static_cast<uint8_t>(text[begin])]) continue;
    if (const auto match = longestAt(text, begin)) return match;
  }
  return std::nullopt;
}

std::optional<SpecialTokenMatcher::Match> SpecialTokenMatcher::longestAt(std::string_view text,
                                                                         size_t begin) const {
  std::optional<Match> longest;
  uint32_t node = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    const auto edge = edges_.find(edgeKey(node, text[at]));
    if (edge == edges_.end()) break;
    node = edge->second;
    if (tokens_[node]) longest = Match{begin, at + 1 - begin, *tokens_[node]};
  }
  return longest;
}

}  // namespace orthros::text
