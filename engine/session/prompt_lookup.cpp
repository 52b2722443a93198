#include "engine/session/prompt_lookup.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace orthros::session {
namespace {

constexpr int longestSearch = 32;  // places with the same hash

}  // namespace

void PromptLookup::append(std::span<const text::TokenId> tokens) {
  const auto known = static_cast<uint32_t>(tokens_.size());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (indices_.front().latest.size() < tokens_.size()) return grow();
  for (Index& index : indices_)
    for (uint32_t next = known; next < tokens_.size(); ++next) insert(index, next);
}

void PromptLookup::grow() {
  for (Index& index : indices_) {
    index.latest.assign(std::bit_ceil(std::max<size_t>(1024, 2 * tokens_.size())), 0);
    index.before.clear();
    for (uint32_t next = 0; next < tokens_.size(); ++next) insert(index, next);
  }
}

size_t PromptLookup::slotOf(const Index& index, uint32_t next) const {
  uint64_t hash = 0;
  for (uint32_t at = next - index.length; at < next; ++at)
    hash = (hash ^ tokens_[at]) * 0x9E3779B97F4A7C15u;  // Fibonacci hashing
  return hash >> (64 - std::bit_width(index.latest.size() - 1));
}

void PromptLookup::insert(Index& index, uint32_t next) const {
  index.before.resize(next + 1, 0);
  if (next < index.length) return;
  uint32_t& latest = index.latest[slotOf(index, next)];
  index.before[next] = std::exchange(latest, next);
}

// Where the token stands that followed the latest n-gram equal to the last one; 0 where there was none.
uint32_t PromptLookup::find(const Index& index) const {
  const auto end = static_cast<uint32_t>(tokens_.size());
  if (end < index.length) return 0;
  const auto last = tokens_.end() - index.length;
  uint32_t next = index.latest[slotOf(index, end)];
  for (int steps = 0; next != 0 && steps < longestSearch; ++steps) {
    if (std::equal(last, tokens_.end(), tokens_.begin() + (next - index.length))) return next;
    next = index.before[next];
  }
  return 0;
}

std::vector<text::TokenId> PromptLookup::draft(uint32_t most) const {
  uint32_t next = 0;
  for (const Index& index : indices_)
    if (next == 0) next = find(index);
  std::vector<text::TokenId> draft;
  if (next == 0) return draft;
  // What repeats up to the end goes on repeating.
  for (uint32_t at = next; draft.size() < most; ++at)
    draft.push_back(at < tokens_.size() ? tokens_[at] : draft[at - tokens_.size()]);
  return draft;
}

}  // namespace orthros::session
