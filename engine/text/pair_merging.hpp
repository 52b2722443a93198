// Merging neighbours, cheapest pair first and leftmost among equals: what byte pairs (cost: rank) and
// SentencePiece (cost: minus the score) have in common. O(n log n) for n symbols.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/text/token.hpp"

namespace orthros::text {

inline constexpr TokenId kNoToken = UINT32_MAX;

struct Symbol {
  uint32_t begin = 0;   // bytes from the start of the word
  uint32_t length = 0;  // bytes; 0 once merged into its left neighbour
  TokenId token = kNoToken;
  uint32_t next = 0;  // index of the right neighbour, or the number of symbols
  uint32_t previous = 0;
};

struct PairMerge {
  double cost = 0;
  TokenId token = kNoToken;
};

// Scratch memory for any number of words; not shared between threads.
class PairMerger {
 public:
  std::vector<Symbol>& symbols() { return symbols_; }

  // Merges until nothing is left to merge. `findMerge(left, right)` gives an optional<PairMerge>. The
  // symbols' begin, length and token are given; afterwards those of length > 0 are the result, in order.
  template <class FindMerge>
  Status run(const FindMerge& findMerge, const CancelToken* cancel) {
    linkNeighbours();
    candidates_.clear();
    for (uint32_t left = 0; left + 1 < symbols_.size(); ++left) consider(left, findMerge);
    std::make_heap(candidates_.begin(), candidates_.end(), isWorse);
    constexpr uint64_t kStepsBetweenChecks = 1 << 16;
    for (uint64_t step = 1; !candidates_.empty(); ++step) {
      if (cancel && step % kStepsBetweenChecks == 0) ORTHROS_TRY(cancel->check("tokenizing"));
      std::pop_heap(candidates_.begin(), candidates_.end(), isWorse);
      const Candidate best = candidates_.back();
      candidates_.pop_back();
      if (!isCurrent(best)) continue;
      merge(best);
      if (symbols_[best.left].previous != best.left) push(symbols_[best.left].previous, findMerge);
      push(best.left, findMerge);
    }
    return {};
  }

 private:
  struct Candidate {
    double cost;
    uint32_t left;
    uint32_t leftLength, rightLength;  // as they were: a symbol that has grown makes the candidate void
    TokenId token;
  };

  static bool isWorse(const Candidate& a, const Candidate& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.left > b.left;
  }

  void linkNeighbours() {
    for (uint32_t i = 0; i < symbols_.size(); ++i) {
      symbols_[i].next = i + 1;
      symbols_[i].previous = i == 0 ? 0 : i - 1;
    }
  }

  // Notes the merge of `left` with its right neighbour, if there is one.
  template <class FindMerge>
  bool consider(uint32_t left, const FindMerge& findMerge) {
    const Symbol& first = symbols_[left];
    if (first.next >= symbols_.size()) return false;
    const Symbol& second = symbols_[first.next];
    const std::optional<PairMerge> found = findMerge(first, second);
    if (found) candidates_.push_back({found->cost, left, first.length, second.length, found->token});
    return found.has_value();
  }

  template <class FindMerge>
  void push(uint32_t left, const FindMerge& findMerge) {
    if (consider(left, findMerge)) std::push_heap(candidates_.begin(), candidates_.end(), isWorse);
  }

  bool isCurrent(const Candidate& candidate) const {
    const Symbol& left = symbols_[candidate.left];
    return left.length == candidate.leftLength && left.next < symbols_.size() &&
           symbols_[left.next].length == candidate.rightLength;
  }

  void merge(const Candidate& candidate) {
    Symbol& left = symbols_[candidate.left];
    Symbol& right = symbols_[left.next];
    left.length += right.length;
    left.token = candidate.token;
    left.next = right.next;
    right.length = 0;
    if (left.next < symbols_.size()) symbols_[left.next].previous = candidate.left;
  }

  std::vector<Symbol> symbols_;
  std::vector<Candidate> candidates_;  // a heap
};

}  // namespace orthros::text
