#include "engine/vulkan/hazards.hpp"

#include <algorithm>
#include <iterator>

namespace orthros::vulkan {

void RangeSet::add(uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  // The first range that ends at or after `begin` is the first one to merge with.
  auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->second >= begin) --next;
  while (next != ranges_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ranges_.erase(next);
  }
  ranges_.emplace(begin, end);
}

bool RangeSet::overlaps(uint64_t begin, uint64_t end) const {
  if (begin >= end) return false;
  const auto after = ranges_.lower_bound(end);
  return after != ranges_.begin() && std::prev(after)->second > begin;
}

bool HazardTracker::advance(std::span<const ResourceUse> uses) {
  const bool needsBarrier =
      std::any_of(uses.begin(), uses.end(), [this](const ResourceUse& use) { return conflicts(use); });
  if (needsBarrier) clear();
  for (const ResourceUse& use : uses) note(use);
  return needsBarrier;
}

bool HazardTracker::conflicts(const ResourceUse& use) const {
  const auto found = touched_.find(use.resource);
  if (found == touched_.end()) return false;
  const Touched& touched = found->second;
  if (touched.written.overlaps(use.begin, use.end)) return true;
  return writes(use.access) && touched.read.overlaps(use.begin, use.end);
}

void HazardTracker::note(const ResourceUse& use) {
  Touched& touched = touched_[use.resource];
  if (reads(use.access)) touched.read.add(use.begin, use.end);
  if (writes(use.access)) touched.written.add(use.begin, use.end);
}

}  // namespace orthros::vulkan
