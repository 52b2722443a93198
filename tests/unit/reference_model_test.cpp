#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "engine/phase/presets.hpp"
#include "engine/reference/model.hpp"
#include "engine/reference/operations.hpp"
#include "tests/property/reference_tiny_model.hpp"

namespace orthros::reference {
namespace {

using phase::Phase;

phase::PhasePlan vanilla(const model::ModelSpec& spec) {
  return *phase::preset("vanilla", spec.layers);
}

std::vector<double> lastLogits(const model::ModelSpec& spec, const ReferenceWeights& weights) {
  const uint32_t tokens[] = {3, 1, 4, 1, 5};
  const std::vector<Phase> phases(5, Phase::decode);
  return *ReferenceModel(spec, weights).logits({tokens, phases, 1}, vanilla(spec));
}

// One layer, one head of size 2, width 2, identity matrices: small enough to follow by hand.
struct ByHand {
  model::ModelSpec spec;
  ReferenceWeights weights;

  ByHand() {
    spec.layers = 1;
    spec.width = spec.headSize = spec.feedForward = 2;
    spec.heads = spec.kvHeads = 1;
    spec.vocabulary = 2;
    spec.normEpsilon = 0.f;
    spec.attentionScale = 1.f;
    spec.tiedOutput = true;
    spec.rope.dimensions = 2;
    const std::vector<float> ones = {1, 1};
    const std::vector<float> identity = {1, 0, 0, 1};
    const std::vector<float> zero(4, 0.f);
    weights.embedding = {1, 0, 0, 1};
    weights.outputNorm = ones;
    weights.layers.push_back(
        {ones, identity, identity, identity, identity, {}, {}, {}, ones, zero, zero, zero});
  }
};

TEST(ReferenceModel, ATwoTokenPassByHand) {
  const ByHand model;
  const uint32_t tokens[] = {0, 1};
  const std::vector<Phase> phases(2, Phase::decode);
  const auto logits =
      *ReferenceModel(model.spec, model.weights).logits({tokens, phases, 1}, vanilla(model.spec));
  // Normed rows are sqrt(2) e0 and sqrt(2) e1. Row 1 stands at position 1: its Q and K are e1 turned by one
  // radian.
  const double scoreOfOwn = 2.0;
  const double scoreOfFirst = -2.0 * std::sin(1.0);
  const double weightOfFirst = 1 / (1 + std::exp(scoreOfOwn - scoreOfFirst));
  const double x0 = std::sqrt(2.0) * weightOfFirst;
  const double x1 = 1 + std::sqrt(2.0) * (1 - weightOfFirst);
  const double norm = std::sqrt((x0 * x0 + x1 * x1) / 2);
  ASSERT_EQ(logits.size(), 2u);
  EXPECT_NEAR(logits[0], x0 / norm, 1e-12);
  EXPECT_NEAR(logits[1], x1 / norm, 1e-12);
}

TEST(ReferenceModel, APrefillRowOfWindowOneReadsOnlyItself) {
  const ByHand model;
  const uint32_t tokens[] = {0, 1};
  const std::vector<Phase> phases(2, Phase::prefill);
  const phase::PhasePlan plan = *phase::preset("swaa", 1, {.window = 1, .fullMax = 0});
  const auto logits = *ReferenceModel(model.spec, model.weights).logits({tokens, phases, 1}, plan);
  EXPECT_NEAR(logits[0], 0.0, 1e-12);
  EXPECT_NEAR(logits[1], std::sqrt(2.0), 1e-12);
}

// Every array of weights must take part in the result.
TEST(ReferenceModel, EveryWeightMatters) {
  model::ModelSpec spec = tinySpec();
  spec.qkvBias = true;
  spec.tiedOutput = false;
  const ReferenceWeights weights = tinyWeights(spec, 4);
  const std::vector<double> expected = lastLogits(spec, weights);
  std::vector<float> LayerWeights::*const members[] = {
      &LayerWeights::attentionNorm,   &LayerWeights::q,     &LayerWeights::k,     &LayerWeights::v,
      &LayerWeights::attentionOutput, &LayerWeights::qBias, &LayerWeights::kBias, &LayerWeights::vBias,
      &LayerWeights::feedForwardNorm, &LayerWeights::gate,  &LayerWeights::up,    &LayerWeights::down};
  for (uint32_t layer = 0; layer < spec.layers; ++layer) {
    for (const auto member : members) {
      ReferenceWeights changed = weights;
      (changed.layers[layer].*member)[1] += 1.f;
      EXPECT_NE(lastLogits(spec, changed), expected) << layer;
    }
  }
  for (const auto member : {&ReferenceWeights::outputNorm, &ReferenceWeights::output}) {
    ReferenceWeights changed = weights;
    (changed.*member)[1] += 1.f;
    EXPECT_NE(lastLogits(spec, changed), expected);
  }
}

TEST(ReferenceModel, RopeFactorsMatter) {
  model::ModelSpec spec = tinySpec();
  const ReferenceWeights weights = tinyWeights(spec, 4);
  const std::vector<double> expected = lastLogits(spec, weights);
  spec.rope.factors = {1.f, 1.f, 2.f, 4.f};
  EXPECT_NE(lastLogits(spec, weights), expected);
}

TEST(ReferenceModel, WantedRowsAreTheLastOnes) {
  const model::ModelSpec spec = tinySpec();
  const ReferenceModel model(spec, tinyWeights(spec, 4));
  const uint32_t tokens[] = {3, 1, 4, 1, 5};
  const std::vector<Phase> phases(5, Phase::decode);
  const auto all = *model.logits({tokens, phases, 5}, vanilla(spec));
  const auto two = *model.logits({tokens, phases, 2}, vanilla(spec));
  EXPECT_EQ(all.size(), 5u * spec.vocabulary);
  EXPECT_EQ(two, std::vector<double>(all.end() - 2 * spec.vocabulary, all.end()));
  EXPECT_TRUE(model.logits({tokens, phases, 0}, vanilla(spec))->empty());
}

TEST(ReferenceModel, BadRequestsAreErrorsAndLeaveTheCacheAlone) {
  const model::ModelSpec spec = tinySpec();
  const ReferenceModel model(spec, tinyWeights(spec, 4));
  ReferenceCache cache = model.newCache();
  const uint32_t tokens[] = {3, spec.vocabulary};
  const std::vector<Phase> phases(2, Phase::decode);
  EXPECT_FALSE(model.append(cache, {tokens, phases, 1}, vanilla(spec)));
  EXPECT_FALSE(model.append(cache, {std::span(tokens).first(1), phases, 1}, vanilla(spec)));
  EXPECT_FALSE(
      model.append(cache, {std::span(tokens).first(1), std::span(phases).first(1), 2}, vanilla(spec)));
  EXPECT_FALSE(model.append(cache, {std::span(tokens).first(1), std::span(phases).first(1), 1},
                            *phase::preset("vanilla", 7)));
  EXPECT_EQ(cache.length(), 0u);
}

TEST(PhasesOf, OnePhasePerRow) {
  const phase::PhaseSpan spans[] = {{0, 2, Phase::prefill}, {2, 3, Phase::decode}};
  EXPECT_EQ(phasesOf(spans), (std::vector<Phase>{Phase::prefill, Phase::prefill, Phase::decode}));
}

}  // namespace
}  // namespace orthros::reference
