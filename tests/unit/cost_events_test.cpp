#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "engine/cost/events.hpp"
#include "engine/cost/prediction.hpp"
#include "engine/phase/intervals.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::cost {
namespace {

using phase::Phase;
using phase::preset;

// layers, width, heads, kvHeads, headSize, feedForward, vocabulary, weightBytes
const ModelShape tiny = {3, 64, 4, 2, 16, 160, 500, 4'000'000};

phase::PhaseSpans spansOf(const phase::PhasePlan& plan, uint32_t tokens) {
  phase::PhaseSpans spans;
  spans.appendSegment(plan, tokens);
  return spans;
}

phase::PhasePlan smallPlan() {
  return *preset("orthros", 3, {.window = 16, .sinks = 4, .tail = 10, .fullMax = 0});
}

std::map<std::string, uint64_t> dispatchesOf(const std::vector<OperationCount>& counts) {
  std::map<std::string, uint64_t> dispatches;
  for (const OperationCount& count : counts) dispatches[count.operation] += count.dispatches;
  return dispatches;
}

const OperationCount& find(const std::vector<OperationCount>& counts, const std::string& name) {
  return *std::find_if(counts.begin(), counts.end(),
                       [&](const OperationCount& c) { return c.operation == name; });
}

TEST(Events, ALargeBatchRunsTheWholeGraphOnce) {
  const phase::PhasePlan plan = smallPlan();
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spansOf(plan, 100), {0, 100, 100});
  const std::map<std::string, uint64_t> expected = {{"embed", 1},  {"norm", 9},      {"qkv", 3},
                                                    {"rope", 3},   {"attention", 3}, {"output", 3},
                                                    {"gateUp", 3}, {"down", 3},      {"logits", 4}};
  EXPECT_EQ(dispatchesOf(counts), expected);
}

TEST(Events, ASmallBatchFusesNormsAndSplitsAttention) {
  const phase::PhasePlan plan = smallPlan();
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spansOf(plan, 100), {99, 1, 1});
  const std::map<std::string, uint64_t> expected = {{"embed", 1}, {"qkv", 3},    {"decodeAttention", 3},
                                                    {"merge", 3}, {"output", 3}, {"gateUp", 3},
                                                    {"down", 3},  {"logits", 1}};
  EXPECT_EQ(dispatchesOf(counts), expected);
  for (const OperationCount& count : counts) EXPECT_EQ(count.limit, Limit::memory) << count.operation;
}

TEST(Events, TheLastLayerStopsAfterKAndVForUnwantedRows) {
  const phase::PhasePlan plan = smallPlan();
  const auto none =
      dispatchesOf(predictBatch(tiny, plan, graphFactsFor(tiny), spansOf(plan, 100), {0, 50, 0}));
  const std::map<std::string, uint64_t> expectedNone = {{"embed", 1},  {"norm", 5},      {"qkv", 3},
                                                        {"rope", 3},   {"attention", 2}, {"output", 2},
                                                        {"gateUp", 2}, {"down", 2}};
  EXPECT_EQ(none, expectedNone);
  const auto one =
      dispatchesOf(predictBatch(tiny, plan, graphFactsFor(tiny), spansOf(plan, 100), {50, 50, 1}));
  const std::map<std::string, uint64_t> expectedOne = {
      {"embed", 1}, {"norm", 5},   {"qkv", 3},    {"rope", 3}, {"attention", 2}, {"decodeAttention", 1},
      {"merge", 1}, {"output", 3}, {"gateUp", 3}, {"down", 3}, {"logits", 1}};
  EXPECT_EQ(one, expectedOne);
}

TEST(Events, FlopEqualsTheCostModelWhereAllRowsAreWanted) {
  const phase::PhasePlan plan = smallPlan();
  const phase::PhaseSpans spans = spansOf(plan, 100);
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spans, {0, 100, 100});
  const Prediction model = predictPrefill(tiny, plan, spans.spans());
  const uint64_t logitsOfOneRow = 2 * 64 * 500;
  EXPECT_EQ(totalOf(counts).pairs, model.pairs);
  EXPECT_EQ(totalOf(counts).flop, model.flop() + 99 * logitsOfOneRow);
}

TEST(Events, DecodeEqualsTheCostModel) {
  const phase::PhasePlan plan = smallPlan();
  phase::PhaseSpans spans = spansOf(plan, 100);
  spans.append({100, 101, Phase::decode});
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spans, {100, 1, 1});
  EXPECT_EQ(totalOf(counts).flop, predictDecode(tiny, plan, 101).flop());
  EXPECT_EQ(totalOf(counts).pairs, 3u * 101);
}

TEST(Events, PairsOfUnwantedRowsOfTheLastLayerAreNotCounted) {
  const phase::PhasePlan plan = smallPlan();
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spansOf(plan, 100), {0, 100, 1});
  const uint64_t perLayer = predictPrompt(tiny, plan, 100).pairs / 3;
  EXPECT_EQ(totalOf(counts).pairs, 2 * perLayer + 100);
}

TEST(Events, MixedLayersAreCountedOneByOne) {
  phase::PhasePlan plan = smallPlan();
  plan.prefill[1] = {};
  const phase::PhaseSpans spans = spansOf(plan, 100);
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spans, {0, 100, 100});
  EXPECT_EQ(find(counts, "attention").pairs, pairsRowByRow(plan, spans.spans()));
  EXPECT_EQ(find(counts, "attention").dispatches, 3u);
}

TEST(Events, AnyCutHasTheSamePairsAndFlopInAllLayersButTheLast) {
  const phase::PhasePlan plan = smallPlan();
  const phase::PhaseSpans spans = spansOf(plan, 100);
  const GraphFacts facts = graphFactsFor(tiny);
  for (const uint32_t batchRows : {1u, 7u, 8u, 9u, 64u, 100u, 1000u}) {
    std::vector<OperationCount> counts;
    uint32_t rows = 0;
    for (const RowRange& batch : cutRows(spans, 0, batchRows)) {
      EXPECT_EQ(batch.firstRow, rows);
      EXPECT_LE(batch.rows, batchRows);
      rows += batch.rows;
      addCounts(counts, predictBatch(tiny, plan, facts, spans, batch));
    }
    EXPECT_EQ(rows, 100u);
    EXPECT_EQ(totalOf(counts).pairs, 2 * predictPrompt(tiny, plan, 100).pairs / 3 + 100) << batchRows;
    EXPECT_EQ(totalOf(counts).flop, totalOf(predictBatch(tiny, plan, facts, spans, {0, 100, 1})).flop)
        << batchRows;
  }
  EXPECT_TRUE(cutRows(spans, 100, 8).empty());
  EXPECT_TRUE(cutRows(spans, 0, 0).empty());
}

TEST(Events, DecodeReadsEachKeyOnceAndEachMatrixOnce) {
  const phase::PhasePlan plan = smallPlan();
  const GraphFacts facts = graphFactsFor(tiny);
  const auto counts = predictBatch(tiny, plan, facts, spansOf(plan, 1000), {999, 1, 1});
  EXPECT_EQ(find(counts, "decodeAttention").bytes, 3u * (2 * 64 * 4 + 1000 * (2 * 2 * 16 * 2)));
  EXPECT_EQ(find(counts, "logits").bytes, facts.weights.logits + 64 * 4 + 64 * 4 + 500 * 4);
  const uint64_t all =
      3 * (facts.weights.qkv + facts.weights.output + facts.weights.gateUp + facts.weights.down) +
      facts.weights.logits;
  EXPECT_NEAR(static_cast<double>(all), 4e6, 10);
}

TEST(Events, PrefillAttentionReadsEachKeyOfTheBatchOnce) {
  const phase::PhasePlan plan = smallPlan();
  const auto counts = predictBatch(tiny, plan, graphFactsFor(tiny), spansOf(plan, 1000), {100, 20, 20});
  // 20 window rows read 4 sinks and 16 + 19 window keys.
  EXPECT_EQ(find(counts, "attention").bytes, 3u * (2 * 20 * 64 * 4 + (4 + 35) * 128));
  EXPECT_EQ(find(counts, "attention").pairs, 3u * 20 * 20);
}

TEST(Events, ManyRowsOfLogitsAreComputedInParts) {
  const phase::PhasePlan plan = smallPlan();
  const GraphFacts facts = graphFactsFor(tiny);  // 32 rows at once
  const auto counts = predictBatch(tiny, plan, facts, spansOf(plan, 100), {0, 96, 96});
  EXPECT_EQ(find(counts, "logits").dispatches, 3u);
  EXPECT_EQ(find(counts, "logits").bytes, 3 * facts.weights.logits + 96u * (64 + 500) * 4);
}

TEST(Events, TimeIsTheSumOverOperations) {
  const std::vector<OperationCount> counts = {{"qkv", Limit::matmul, 2, 1000, 5, 0},
                                              {"norm", Limit::memory, 1, 0, 3000, 0}};
  const DeviceRates rates{.matmulFlops = 1e9, .copyBytes = 1e9, .dispatchNs = 10};
  EXPECT_DOUBLE_EQ(*predictNs(counts, rates), 20 + 1000 + 10 + 3000);
  EXPECT_FALSE(predictNs(counts, {.matmulFlops = 1e9}));
}

}  // namespace
}  // namespace orthros::cost
