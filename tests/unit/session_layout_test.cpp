#include <gtest/gtest.h>

#include "engine/phase/presets.hpp"
#include "engine/session/layout.hpp"

namespace orthros::session {
namespace {

using phase::Phase;
using phase::PhaseSpan;

phase::PhasePlan planOf(const char* name, uint32_t tail, uint32_t fullMax) {
  auto plan = phase::preset(name, 2, {.window = 8, .sinks = 2, .tail = tail, .fullMax = fullMax});
  EXPECT_TRUE(plan);
  return *plan;
}

Segment segmentOf(uint32_t rows, bool answer = false, text::TokenId token = 5) {
  return {std::vector<text::TokenId>(rows, token), answer};
}

std::vector<PhaseSpan> spansOf(const Layout& layout) {
  return {layout.spans.spans().begin(), layout.spans.spans().end()};
}

TEST(Layout, EachPromptSegmentHasItsOwnTail) {
  const Segment segments[] = {segmentOf(20), segmentOf(3, true), segmentOf(4), segmentOf(30)};
  const Layout layout = layOut(planOf("orthros", 5, 4), segments);
  EXPECT_EQ(layout.rows(), 57u);
  EXPECT_EQ(spansOf(layout), (std::vector<PhaseSpan>{{0, 15, Phase::prefill},
                                                     {15, 27, Phase::decode},  // tail, answer, short segment
                                                     {27, 52, Phase::prefill},
                                                     {52, 57, Phase::decode}}));
}

TEST(Layout, ALongAnswerIsAllDecode) {
  const Segment segments[] = {segmentOf(100, true)};
  EXPECT_EQ(spansOf(layOut(planOf("orthros", 5, 4), segments)),
            (std::vector<PhaseSpan>{{0, 100, Phase::decode}}));
}

TEST(Layout, CommonRowsNeedEqualTokensAndPhases) {
  const phase::PhasePlan plan = planOf("orthros", 5, 4);
  const Segment twenty[] = {segmentOf(20)};
  const Segment thirty[] = {segmentOf(30)};
  const Segment other[] = {segmentOf(10), segmentOf(20, false, 6)};
  const Layout a = layOut(plan, twenty);
  EXPECT_EQ(commonRows(a, a), 20u);
  EXPECT_EQ(commonRows(a, layOut(plan, thirty)), 15u);  // the tail of the short one is D
  EXPECT_EQ(commonRows(layOut(plan, thirty), a), 15u);
  EXPECT_EQ(commonRows(a, layOut(plan, other)), 5u);  // the first segment's tail begins at row 5
  EXPECT_EQ(commonRows(a, Layout{}), 0u);
  Layout changed = a;
  changed.tokens[3] = 9;
  EXPECT_EQ(commonRows(a, changed), 3u);
}

TEST(Layout, BatchesEndWherePhasesChange) {
  const phase::PhasePlan plan = planOf("orthros", 5, 4);
  const Segment segments[] = {segmentOf(20)};
  const Layout layout = layOut(plan, segments);
  EXPECT_EQ(
      cutBatches(plan, layout.spans, 0, 8),
      (std::vector<BatchCut>{{0, 8, RunPhase::prefill}, {8, 7, RunPhase::prefill}, {15, 5, RunPhase::tail}}));
  EXPECT_EQ(cutBatches(plan, layout.spans, 17, 8), (std::vector<BatchCut>{{17, 3, RunPhase::tail}}));
  EXPECT_TRUE(cutBatches(plan, layout.spans, 20, 8).empty());
}

TEST(Layout, BatchesJoinWherePhasesReadTheSame) {
  const phase::PhasePlan plan = planOf("vanilla", 1, 0);
  const Segment segments[] = {segmentOf(20)};
  const Layout layout = layOut(plan, segments);
  ASSERT_EQ(layout.spans.spans().size(), 2u) << "vanilla has a tail of its own";
  EXPECT_EQ(cutBatches(plan, layout.spans, 0, 20), (std::vector<BatchCut>{{0, 20, RunPhase::prefill}}));
  EXPECT_EQ(cutBatches(plan, layout.spans, 0, 16),
            (std::vector<BatchCut>{{0, 16, RunPhase::prefill}, {16, 4, RunPhase::prefill}}));
}

TEST(Layout, AShortPromptIsOneBatchWhateverItsPhases) {
  const phase::PhasePlan plan = planOf("orthros", 5, 0);
  const Segment segments[] = {segmentOf(20)};
  const Layout layout = layOut(plan, segments);
  EXPECT_EQ(cutBatches(plan, layout.spans, 0, 20), (std::vector<BatchCut>{{0, 20, RunPhase::prefill}}));
  EXPECT_EQ(cutBatches(plan, layout.spans, 12, 8), (std::vector<BatchCut>{{12, 8, RunPhase::prefill}}));
  EXPECT_EQ(cutBatches(plan, layout.spans, 0, 19).size(), 2u);
}

TEST(Layout, BatchesCoverEveryRowOnce) {
  for (const char* name : {"orthros", "vanilla", "swaa", "streaming"}) {
    const phase::PhasePlan plan = planOf(name, 7, 3);
    const Segment segments[] = {segmentOf(41), segmentOf(9, true), segmentOf(2), segmentOf(33)};
    const Layout layout = layOut(plan, segments);
    for (uint32_t maxRows = 1; maxRows < 50; maxRows += 3) {
      for (uint32_t begin = 0; begin < layout.rows(); begin += 5) {
        uint32_t row = begin;
        for (const BatchCut& batch : cutBatches(plan, layout.spans, begin, maxRows)) {
          ASSERT_EQ(batch.begin, row);
          ASSERT_GE(batch.rows, 1u);
          ASSERT_LE(batch.rows, maxRows);
          row += batch.rows;
        }
        ASSERT_EQ(row, layout.rows()) << name << " from " << begin << " by " << maxRows;
      }
    }
  }
}

}  // namespace
}  // namespace orthros::session
