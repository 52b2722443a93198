// The correctness properties of phase-aware attention, at the level of the double-precision reference.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "engine/phase/intervals.hpp"
#include "engine/phase/presets.hpp"
#include "engine/reference/operations.hpp"
#include "tests/property/random_conversations.hpp"
#include "tests/property/reference_tiny_model.hpp"

namespace orthros::reference {
namespace {

using phase::Phase;
using phase::PhasePlan;
using phase::PhaseSpans;
using test::randomConversation;
using test::randomPlan;
using test::randomTokens;

using Logits = std::vector<double>;

double largestDifference(const Logits& a, const Logits& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class PhaseProperties : public ::testing::Test {
 protected:
  const model::ModelSpec spec_ = tinySpec();
  const ReferenceModel model_{spec_, tinyWeights(spec_, 11)};
  std::mt19937_64 random_{12};

  std::vector<uint32_t> tokens(size_t count) { return randomTokens(random_, count, spec_.vocabulary); }

  PhasePlan preset(const char* name, const phase::PresetOptions& options = {}) const {
    return *phase::preset(name, spec_.layers, options);
  }

  Logits dense(const std::vector<uint32_t>& rowTokens, const std::vector<Phase>& phases,
               const PhasePlan& plan) const {
    auto logits = model_.logits({rowTokens, phases, rowTokens.size()}, plan);
    EXPECT_TRUE(logits) << logits.error().message();
    return logits ? *logits : Logits();
  }

  // A whole prompt under a plan, logits of all rows.
  Logits prompt(const std::vector<uint32_t>& rowTokens, const PhasePlan& plan) const {
    return dense(rowTokens, phasesOf(phase::segmentSpans(plan, 0, static_cast<uint32_t>(rowTokens.size()))),
                 plan);
  }

  // Rows in random batches of up to `mostRows`; the logits of all rows.
  Logits inBatches(ReferenceCache& cache, std::span<const uint32_t> rowTokens, std::span<const Phase> phases,
                   const PhasePlan& plan, size_t mostRows) {
    Logits all;
    for (size_t begin = 0; begin < rowTokens.size();) {
      const size_t rows = std::min<size_t>(1 + random_() % mostRows, rowTokens.size() - begin);
      const auto part =
          model_.append(cache, {rowTokens.subspan(begin, rows), phases.subspan(begin, rows), rows}, plan);
      EXPECT_TRUE(part);
      all.insert(all.end(), part->begin(), part->end());
      begin += rows;
    }
    return all;
  }

  Logits lastRow(const Logits& logits) const { return {logits.end() - spec_.vocabulary, logits.end()}; }
};

TEST_F(PhaseProperties, APromptWithinTheWindowEqualsVanilla) {
  for (const uint32_t length : {1u, 2u, 15u, 16u}) {
    const auto rows = tokens(length);
    const PhasePlan plan = preset("orthros", {.window = 16, .sinks = 3, .tail = 1, .fullMax = 0});
    EXPECT_EQ(prompt(rows, plan), prompt(rows, preset("vanilla"))) << length;
  }
}

TEST_F(PhaseProperties, APromptOneLongerThanTheWindowDiffers) {
  const auto rows = tokens(18);
  const PhasePlan plan = preset("orthros", {.window = 16, .sinks = 0, .tail = 1, .fullMax = 0});
  EXPECT_GT(largestDifference(prompt(rows, plan), prompt(rows, preset("vanilla"))), 1e-6);
}

TEST_F(PhaseProperties, SinksWidenTheWindowAtTheBeginning) {
  const auto rows = tokens(19);
  const PhasePlan plan = preset("orthros", {.window = 16, .sinks = 3, .tail = 1, .fullMax = 0});
  EXPECT_EQ(prompt(rows, plan), prompt(rows, preset("vanilla")));
}

TEST_F(PhaseProperties, ATailAsLongAsThePromptEqualsVanilla) {
  const auto rows = tokens(40);
  for (const uint32_t tail : {40u, 41u, 1000u}) {
    const PhasePlan plan = preset("orthros", {.window = 4, .sinks = 2, .tail = tail, .fullMax = 0});
    EXPECT_EQ(prompt(rows, plan), prompt(rows, preset("vanilla"))) << tail;
  }
  const PhasePlan shorter = preset("orthros", {.window = 4, .sinks = 2, .tail = 30, .fullMax = 0});
  EXPECT_GT(largestDifference(prompt(rows, shorter), prompt(rows, preset("vanilla"))), 1e-6);
}

TEST_F(PhaseProperties, AShortSegmentIsAllDecode) {
  const auto rows = tokens(40);
  const PhasePlan plan = preset("orthros", {.window = 4, .sinks = 2, .tail = 5, .fullMax = 40});
  EXPECT_EQ(prompt(rows, plan), prompt(rows, preset("vanilla")));
  const PhasePlan shorter = preset("orthros", {.window = 4, .sinks = 2, .tail = 5, .fullMax = 39});
  EXPECT_GT(largestDifference(prompt(rows, shorter), prompt(rows, preset("vanilla"))), 1e-6);
}

TEST_F(PhaseProperties, AnySplitOfAnyConversationUnderAnyPlanEqualsOneBatch) {
  for (int round = 0; round < 60; ++round) {
    const PhasePlan plan = randomPlan(random_, spec_.layers);
    const PhaseSpans spans = randomConversation(random_, plan, 1 + static_cast<uint32_t>(random_() % 3), 40);
    const auto rows = tokens(spans.length());
    const auto phases = phasesOf(spans.spans());
    const Logits expected = dense(rows, phases, plan);
    for (const size_t mostRows : {1, 5, 60}) {
      ReferenceCache cache = model_.newCache();
      ASSERT_EQ(inBatches(cache, rows, phases, plan, mostRows), expected) << "round " << round;
      ASSERT_EQ(cache.length(), spans.length());
    }
  }
}

TEST_F(PhaseProperties, PrefillThenDecodeEqualsOneMaskedDensePass) {
  const PhasePlan plan = preset("orthros", {.window = 6, .sinks = 2, .tail = 4, .fullMax = 0});
  PhaseSpans spans;
  spans.appendSegment(plan, 50);
  ReferenceCache cache = model_.newCache();
  auto rows = tokens(50);
  const auto promptPhases = phasesOf(spans.spans());
  Logits logits = *model_.append(cache, {rows, promptPhases, 1}, plan);
  for (int step = 0; step < 12; ++step) {
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    rows.push_back(static_cast<uint32_t>(best));
    spans.append({spans.length(), spans.length() + 1, Phase::decode});
    const Phase decode[] = {Phase::decode};
    logits = *model_.append(cache, {std::span(rows).last(1), decode, 1}, plan);
    ASSERT_EQ(logits, lastRow(dense(rows, phasesOf(spans.spans()), plan))) << step;
  }
}

TEST_F(PhaseProperties, ALastChunkOfOneTokenKeepsItsPrefillPhase) {
  const PhasePlan plan = preset("orthros", {.window = 4, .sinks = 1, .tail = 1, .fullMax = 0});
  const auto rows = tokens(30);
  const std::vector<Phase> allPrefill(30, Phase::prefill);
  ReferenceCache cache = model_.newCache();
  ASSERT_TRUE(model_.append(cache, {std::span(rows).first(29), std::span(allPrefill).first(29), 0}, plan));
  ReferenceCache other = cache;
  const Logits asPrefill =
      *model_.append(cache, {std::span(rows).last(1), std::span(allPrefill).last(1), 1}, plan);
  EXPECT_EQ(asPrefill, lastRow(dense(rows, allPrefill, plan)));
  const Phase decode[] = {Phase::decode};
  const Logits asDecode = *model_.append(other, {std::span(rows).last(1), decode, 1}, plan);
  EXPECT_GT(largestDifference(asPrefill, asDecode), 1e-6);
}

TEST_F(PhaseProperties, ABatchOfSeveralDecodeRowsReadsEverything) {
  const PhasePlan plan = preset("orthros", {.window = 4, .sinks = 1, .tail = 1, .fullMax = 0});
  const auto rows = tokens(35);
  PhaseSpans spans;
  spans.appendSegment(plan, 29);
  spans.append({29, 35, Phase::decode});
  const auto phases = phasesOf(spans.spans());
  ReferenceCache oneByOne = model_.newCache();
  const Logits single = inBatches(oneByOne, rows, phases, plan, 1);
  ReferenceCache cache = model_.newCache();
  ASSERT_TRUE(model_.append(cache, {std::span(rows).first(29), std::span(phases).first(29), 0}, plan));
  const Logits speculated =
      *model_.append(cache, {std::span(rows).last(6), std::span(phases).last(6), 6}, plan);
  EXPECT_EQ(speculated, Logits(single.end() - 6 * spec_.vocabulary, single.end()));
  EXPECT_EQ(cache, oneByOne);
}

TEST_F(PhaseProperties, TwoTurnsAreReplayedFromTheirSpans) {
  const PhasePlan plan = preset("orthros", {.window = 6, .sinks = 2, .tail = 4, .fullMax = 8});
  const PhaseSpans spans = [&] {
    PhaseSpans list;
    list.appendSegment(plan, 40);
    list.append({40, 45, Phase::decode});
    list.appendSegment(plan, 30);
    return list;
  }();
  const auto rows = tokens(75);
  const auto phases = phasesOf(spans.spans());
  ReferenceCache cache = model_.newCache();
  const Logits logits = inBatches(cache, rows, phases, plan, 9);
  // Read as one long prompt, the same tokens give another result: the rows 36..44 would be P.
  EXPECT_GT(largestDifference(lastRow(logits), lastRow(prompt(rows, plan))), 1e-6);
  ReferenceCache replayed = model_.newCache();
  inBatches(replayed, rows, phases, plan, 75);
  EXPECT_EQ(replayed, cache);
}

TEST_F(PhaseProperties, TruncateAndReplayReproduceTheCache) {
  for (int round = 0; round < 20; ++round) {
    const PhasePlan plan = randomPlan(random_, spec_.layers);
    const PhaseSpans spans = randomConversation(random_, plan, 2, 40);
    const auto rows = tokens(spans.length());
    const auto phases = phasesOf(spans.spans());
    ReferenceCache cache = model_.newCache();
    inBatches(cache, rows, phases, plan, 20);
    ReferenceCache branch = cache;
    const auto kept = static_cast<uint32_t>(random_() % spans.length());
    branch.truncate(kept);
    ASSERT_EQ(branch.length(), kept);
    inBatches(branch, std::span(rows).subspan(kept), std::span(phases).subspan(kept), plan, 20);
    ASSERT_EQ(branch, cache);
  }
}

TEST_F(PhaseProperties, AnotherTailOnlyChangesRowsFromTheFirstChangedPhaseOn) {
  const auto rows = tokens(60);
  const PhasePlan longTail = preset("orthros", {.window = 6, .sinks = 2, .tail = 20, .fullMax = 0});
  const PhasePlan shortTail = preset("orthros", {.window = 6, .sinks = 2, .tail = 5, .fullMax = 0});
  PhaseSpans before;
  PhaseSpans after;
  before.appendSegment(longTail, 60);
  after.appendSegment(shortTail, 60);
  const uint32_t kept = before.commonPrefix(after, 60);
  EXPECT_EQ(kept, 40u);
  ReferenceCache cache = model_.newCache();
  inBatches(cache, rows, phasesOf(before.spans()), longTail, 60);
  cache.truncate(kept);
  const auto phases = phasesOf(after.spans());
  inBatches(cache, std::span(rows).subspan(kept), std::span(phases).subspan(kept), shortTail, 60);
  ReferenceCache fresh = model_.newCache();
  inBatches(fresh, rows, phases, shortTail, 60);
  EXPECT_EQ(cache, fresh);
}

TEST_F(PhaseProperties, AKeyNoRowReadsDoesNotMatter) {
  // One P layer-stack of width W reaches back at most layers x (W - 1) rows.
  const PhasePlan plan = preset("swa-only", {.window = 3});
  auto rows = tokens(30);
  const Logits before = lastRow(prompt(rows, plan));
  const uint32_t reach = spec_.layers * 2;
  rows[29 - reach - 1] = (rows[29 - reach - 1] + 1) % spec_.vocabulary;
  EXPECT_EQ(lastRow(prompt(rows, plan)), before);
  rows[29 - reach] = (rows[29 - reach] + 1) % spec_.vocabulary;
  EXPECT_NE(lastRow(prompt(rows, plan)), before);
}

TEST_F(PhaseProperties, ThePhaseRuleInIntervalsEqualsThePredicateOfTheReference) {
  for (int round = 0; round < 100; ++round) {
    const PhasePlan plan = randomPlan(random_, 1);
    for (const phase::LayerAttention& attention : {plan.prefill[0], plan.decode[0]}) {
      for (uint32_t i = 0; i < 40; ++i) {
        const phase::KeyIntervals keys = phase::keysOfRow(attention, i);
        for (uint32_t j = 0; j < 45; ++j) ASSERT_EQ(keys.contains(j), readsKey(attention, i, j));
      }
    }
  }
}

}  // namespace
}  // namespace orthros::reference
