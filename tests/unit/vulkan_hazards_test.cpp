#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vulkan/hazards.hpp"

namespace orthros::vulkan {
namespace {

const int resourceA = 0;
const int resourceB = 0;

ResourceUse use(const int& resource, uint64_t begin, uint64_t end, Access access) {
  return {&resource, begin, end, access};
}

// Whether a command with the second use needs a barrier after one with the first.
bool needsBarrier(const ResourceUse& first, const ResourceUse& second) {
  HazardTracker tracker;
  EXPECT_FALSE(tracker.advance({&first, 1}));
  return tracker.advance({&second, 1});
}

TEST(HazardTracker, KnowsEveryPairOfAccesses) {
  const Access all[] = {Access::read, Access::write, Access::readWrite};
  for (const Access first : all) {
    for (const Access second : all) {
      const bool expected = first != Access::read || second != Access::read;
      EXPECT_EQ(needsBarrier(use(resourceA, 0, 16, first), use(resourceA, 8, 24, second)), expected);
    }
  }
}

TEST(HazardTracker, LeavesDisjointRangesAndOtherResourcesAlone) {
  EXPECT_FALSE(needsBarrier(use(resourceA, 0, 16, Access::write), use(resourceA, 16, 32, Access::readWrite)));
  EXPECT_FALSE(needsBarrier(use(resourceA, 16, 32, Access::write), use(resourceA, 0, 16, Access::readWrite)));
  EXPECT_FALSE(needsBarrier(use(resourceA, 0, 16, Access::write), use(resourceB, 0, 16, Access::readWrite)));
  EXPECT_TRUE(needsBarrier(use(resourceA, 0, 17, Access::write), use(resourceA, 16, 32, Access::read)));
}

TEST(HazardTracker, UsesOfOneCommandDoNotConflict) {
  HazardTracker tracker;
  const ResourceUse inPlace[] = {use(resourceA, 0, 16, Access::read), use(resourceA, 0, 16, Access::write)};
  EXPECT_FALSE(tracker.advance(inPlace));
  EXPECT_TRUE(tracker.advance(inPlace));
}

TEST(HazardTracker, StartsAnewWithTheCommandAfterABarrier) {
  HazardTracker tracker;
  const ResourceUse writeA = use(resourceA, 0, 16, Access::write);
  const ResourceUse readA = use(resourceA, 0, 16, Access::read);
  const ResourceUse writeB = use(resourceB, 0, 16, Access::write);
  EXPECT_FALSE(tracker.advance({&writeA, 1}));
  EXPECT_FALSE(tracker.advance({&writeB, 1}));
  EXPECT_TRUE(tracker.advance({&readA, 1}));
  EXPECT_FALSE(tracker.advance({&readA, 1}));   // the barrier covered the write of A
  EXPECT_FALSE(tracker.advance({&writeB, 1}));  // and that of B
  EXPECT_TRUE(tracker.advance({&writeA, 1}));   // write after the two reads
  tracker.clear();
  EXPECT_FALSE(tracker.advance({&writeA, 1}));
}

TEST(HazardTracker, RemembersAReadBehindAnotherReadOfTheSameResource) {
  HazardTracker tracker;
  const ResourceUse first = use(resourceA, 0, 8, Access::read);
  const ResourceUse second = use(resourceA, 100, 108, Access::read);
  const ResourceUse write = use(resourceA, 4, 6, Access::write);
  EXPECT_FALSE(tracker.advance({&first, 1}));
  EXPECT_FALSE(tracker.advance({&second, 1}));
  EXPECT_TRUE(tracker.advance({&write, 1}));
}

TEST(RangeSet, MergesWhatTouches) {
  RangeSet set;
  set.add(10, 20);
  set.add(30, 40);
  EXPECT_EQ(set.rangeCount(), 2u);
  set.add(20, 30);
  EXPECT_EQ(set.rangeCount(), 1u);
  set.add(5, 50);
  EXPECT_EQ(set.rangeCount(), 1u);
  set.add(60, 60);
  EXPECT_EQ(set.rangeCount(), 1u);
  EXPECT_FALSE(set.overlaps(0, 5));
  EXPECT_TRUE(set.overlaps(0, 6));
  EXPECT_TRUE(set.overlaps(49, 60));
  EXPECT_FALSE(set.overlaps(50, 60));
  EXPECT_FALSE(set.overlaps(10, 10));
}

TEST(RangeSet, AgreesWithABitmap) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t limit) { return static_cast<uint64_t>(random() % limit); };
  for (int round = 0; round < 50; ++round) {
    RangeSet set;
    std::vector<bool> bits(64);
    for (int step = 0; step < 20; ++step) {
      const uint64_t begin = below(60), end = std::min<uint64_t>(begin + below(8), 64);
      set.add(begin, end);
      for (uint64_t i = begin; i < end; ++i) bits[i] = true;
      const uint64_t from = below(60), to = std::min<uint64_t>(from + below(8), 64);
      bool expected = false;
      for (uint64_t i = from; i < to; ++i) expected = expected || bits[i];
      ASSERT_EQ(set.overlaps(from, to), expected) << from << ".." << to;
    }
  }
}

}  // namespace
}  // namespace orthros::vulkan
