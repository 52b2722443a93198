#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "engine/phase/intervals.hpp"

namespace orthros::phase {
namespace {

LayerAttention window(uint32_t width, uint32_t sinks) {
  return {AttentionKind::window, width, sinks};
}

// The definition, word for word: j <= i and (i - j < W or j < S).
bool reads(const LayerAttention& attention, uint32_t i, uint32_t j) {
  if (j > i) return false;
  return attention.kind == AttentionKind::full || i - j < attention.window || j < attention.sinks;
}

TEST(KeysOfRow, EqualTheDefinitionForAllSmallPlans) {
  for (uint32_t width = 1; width <= 9; ++width) {
    for (uint32_t sinks = 0; sinks <= 9; ++sinks) {
      for (uint32_t i = 0; i < 30; ++i) {
        const KeyIntervals keys = keysOfRow(window(width, sinks), i);
        uint32_t count = 0;
        for (uint32_t j = 0; j < 40; ++j) {
          ASSERT_EQ(keys.contains(j), reads(window(width, sinks), i, j))
              << "W " << width << " S " << sinks << " i " << i << " j " << j;
          count += keys.contains(j);
        }
        ASSERT_EQ(keys.keys(), count);
        ASSERT_LE(keys.sinkEnd, keys.windowBegin);
        ASSERT_LT(keys.windowBegin, keys.end);
        ASSERT_EQ(keys.end, i + 1);
      }
    }
  }
}

TEST(KeysOfRow, FullRowReadsEverything) {
  EXPECT_EQ(keysOfRow({}, 0), (KeyIntervals{0, 0, 1}));
  EXPECT_EQ(keysOfRow({}, 99), (KeyIntervals{0, 0, 100}));
}

TEST(KeysOfRow, SinksAndWindowThatTouchBecomeOneInterval) {
  EXPECT_EQ(keysOfRow(window(4, 2), 5), (KeyIntervals{0, 0, 6}));  // sinks 0..1, window 2..5
  EXPECT_EQ(keysOfRow(window(4, 2), 6), (KeyIntervals{2, 3, 7}));
}

TEST(KeysOfRow, SizesNearTheEndOfTheNumbersDoNotWrap) {
  EXPECT_EQ(keysOfRow(window(UINT32_MAX, UINT32_MAX), 1000), (KeyIntervals{0, 0, 1001}));
  EXPECT_EQ(keysOfRow(window(1, 0), 4'000'000'000u), (KeyIntervals{0, 4'000'000'000u, 4'000'000'001u}));
}

TEST(CountPairs, EqualsTheSumOverRows) {
  for (const LayerAttention& attention : {LayerAttention{}, window(1, 0), window(1, 5), window(7, 0),
                                          window(7, 3), window(3, 40), window(100, 100)}) {
    for (uint32_t begin = 0; begin <= 40; ++begin) {
      uint64_t pairs = 0;
      for (uint32_t end = begin; end <= 60; ++end) {
        ASSERT_EQ(countPairs(attention, begin, end), pairs);
        for (uint32_t j = 0; j <= end; ++j) pairs += reads(attention, end, j);
      }
    }
  }
}

TEST(CountPairs, LargeContextsDoNotOverflow) {
  EXPECT_EQ(countPairs({}, 0, UINT32_MAX), uint64_t{UINT32_MAX} * (uint64_t{1} << 31));
  EXPECT_EQ(countPairs(window(512, 64), 1'000'000, 2'000'000), 576'000'000u);
  EXPECT_EQ(countPairs({}, 5, 5), 0u);
  EXPECT_EQ(countPairs({}, 6, 5), 0u);
}

// Every interval pair within [0, end) that covers the keys; the union must be one with the fewest keys.
uint32_t fewestKeys(const std::set<uint32_t>& keys, uint32_t end) {
  uint32_t fewest = end;
  for (uint32_t sinkEnd = 0; sinkEnd < end; ++sinkEnd) {
    for (uint32_t begin = sinkEnd; begin < end; ++begin) {
      const KeyIntervals pair{sinkEnd, begin, end};
      if (std::all_of(keys.begin(), keys.end(), [&](uint32_t key) { return pair.contains(key); })) {
        fewest = std::min(fewest, pair.keys());
      }
    }
  }
  return fewest;
}

TEST(UnionOf, IsTheSmallestCoverOfRandomRows) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<KeyIntervals> rows;
    std::set<uint32_t> keys;
    for (uint32_t r = 0; r < 1 + random() % 5; ++r) {
      const LayerAttention attention =
          random() % 4 == 0 ? LayerAttention{} : window(1 + random() % 6, random() % 5);
      rows.push_back(keysOfRow(attention, random() % 30));
      for (uint32_t j = 0; j < rows.back().end; ++j) {
        if (rows.back().contains(j)) keys.insert(j);
      }
    }
    const KeyIntervals cover = unionOf(rows);
    for (const uint32_t key : keys) ASSERT_TRUE(cover.contains(key));
    ASSERT_EQ(cover.end, *keys.rbegin() + 1);
    ASSERT_EQ(cover.keys(), fewestKeys(keys, cover.end));
    ASSERT_LE(cover.sinkEnd, cover.windowBegin);
  }
}

TEST(UnionOf, ConsecutiveRowsKeepSinksAndWindowApart) {
  const LayerAttention attention = window(8, 4);
  const std::vector<KeyIntervals> rows = {keysOfRow(attention, 100), keysOfRow(attention, 101),
                                          keysOfRow(attention, 102)};
  EXPECT_EQ(unionOf(rows), (KeyIntervals{4, 93, 103}));
}

TEST(UnionOf, ARowThatReadsEverythingGivesEverything) {
  const std::vector<KeyIntervals> rows = {keysOfRow(window(8, 4), 100), keysOfRow({}, 101)};
  EXPECT_EQ(unionOf(rows), (KeyIntervals{0, 0, 102}));
}

}  // namespace
}  // namespace orthros::phase
