// Finds out when a command needs a memory barrier: pure bookkeeping over byte ranges, no Vulkan.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

namespace orthros::vulkan {

enum class Access { read, write, readWrite };

inline bool reads(Access access) {
  return access != Access::write;
}
inline bool writes(Access access) {
  return access != Access::read;
}

// Bytes [begin, end) of a resource that one command touches.
struct ResourceUse {
  const void* resource = nullptr;
  uint64_t begin = 0;
  uint64_t end = 0;
  Access access = Access::read;
};

// A set of bytes as disjoint half-open ranges.
class RangeSet {
 public:
  void add(uint64_t begin, uint64_t end);
  bool overlaps(uint64_t begin, uint64_t end) const;
  size_t rangeCount() const { return ranges_.size(); }

 private:
  std::map<uint64_t, uint64_t> ranges_;  // begin -> end
};

// What has been read and written since the last barrier.
class HazardTracker {
 public:
  // Notes the uses of the next command. True: a barrier must stand before it, because it reads what was
  // written, or writes what was read or written, since the last barrier; the tracker then starts anew with
  // this command. Uses of one command do not conflict with each other.
  bool advance(std::span<const ResourceUse> uses);

  // A barrier for everything was recorded.
  void clear() { touched_.clear(); }

 private:
  struct Touched {
    RangeSet read;
    RangeSet written;
  };
  bool conflicts(const ResourceUse& use) const;
  void note(const ResourceUse& use);

  std::unordered_map<const void*, Touched> touched_;
};

}  // namespace orthros::vulkan
