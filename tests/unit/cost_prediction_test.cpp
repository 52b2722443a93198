#include <random>

#include <gtest/gtest.h>

#include "engine/cost/prediction.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::cost {
namespace {

using phase::preset;

// layers, width, heads, kvHeads, headSize, feedForward, vocabulary, weightBytes
const ModelShape smol = {30, 576, 9, 3, 64, 1536, 49152, 98'000'000};
const ModelShape llama1b = {16, 2048, 32, 8, 64, 8192, 128256, 700'000'000};
const ModelShape llama7b = {32, 4096, 32, 32, 128, 11008, 32000, 4'000'000'000};

TEST(Shape, PublishedFigures) {
  EXPECT_EQ(layerParameters(smol), 3'538'944u);
  EXPECT_EQ(flopPerPair(smol), 2304u);
  EXPECT_DOUBLE_EQ(equivalentKeys(smol), 3072);
  EXPECT_DOUBLE_EQ(equivalentKeys(llama1b), 14848);
  EXPECT_DOUBLE_EQ(equivalentKeys(llama7b), 24704);
  EXPECT_EQ(kvBytesPerToken(smol), 2u * 30 * 3 * 64 * 2);
}

TEST(Shape, AnEmptyShapeHasNoEquivalentKeys) {
  EXPECT_EQ(equivalentKeys({}), 0.0);
}

TEST(Prediction, VanillaPrefillIsTheFormula) {
  const uint64_t n = 5000;
  const Prediction prediction = predictPrompt(smol, *preset("vanilla", 30), n);
  const uint64_t m = 3'538'944;
  EXPECT_EQ(prediction.rows, n);
  EXPECT_EQ(prediction.flop(), 30 * (2 * m * n + 2304 * (n * (n + 1) / 2)) + 2 * 576 * 49152);
  EXPECT_EQ(prediction.bytes, 98'000'000 + 23'040 * n);
}

TEST(Prediction, OrthrosPrefillCountsTheAllowedPairs) {
  const Prediction prediction = predictPrompt(smol, *preset("orthros", 30), 10'000);
  // 9872 window rows: the first 576 read all before them; then 128 full rows.
  const uint64_t windowRows = 576 * 577 / 2 + (9872 - 576) * 576;
  const uint64_t fullRows = uint64_t{10'000} * 10'001 / 2 - uint64_t{9872} * 9873 / 2;
  EXPECT_EQ(prediction.pairs, 30 * (windowRows + fullRows));
  EXPECT_EQ(prediction.attentionFlop, 2304 * prediction.pairs);
  const double linear = 30.0 * 10'000 * (512 + 64 + 128);
  EXPECT_NEAR(static_cast<double>(prediction.pairs) / linear, 1.0, 0.05);
}

TEST(Prediction, DecodeIsTheFormula) {
  for (const char* plan : {"vanilla", "orthros"}) {
    const Prediction prediction = predictDecode(smol, *preset(plan, 30), 4096);
    EXPECT_EQ(prediction.flop(), 30 * (2 * 3'538'944u + 2304u * 4096u) + 2u * 576 * 49152);
    EXPECT_EQ(prediction.bytes, 98'000'000 + 2u * 30 * 3 * 64 * 2 * 4096);
  }
}

TEST(Prediction, AWindowInDecodeBoundsWhatIsRead) {
  const Prediction prediction = predictDecode(smol, *preset("streaming", 30), 100'000);
  EXPECT_EQ(prediction.pairs, 30u * 576);
  EXPECT_EQ(prediction.bytes, 98'000'000 + uint64_t{30} * 576 * 2 * 3 * 64 * 2);
}

TEST(Prediction, PairsCountedTwoWaysAgree) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    phase::PhasePlan plan = *preset("orthros", 5);
    for (auto* layers : {&plan.prefill, &plan.decode}) {
      for (phase::LayerAttention& layer : *layers) {
        if (random() % 3 == 0)
          layer = {};
        else
          layer = {phase::AttentionKind::window, 1 + static_cast<uint32_t>(random() % 40),
                   static_cast<uint32_t>(random() % 20)};
      }
    }
    phase::PhaseSpans spans;
    for (int segment = 0; segment < 4; ++segment) {
      const uint32_t length = random() % 90;
      spans.append({spans.length(), spans.length() + length,
                    random() % 2 ? phase::Phase::prefill : phase::Phase::decode});
    }
    ASSERT_EQ(pairsInClosedForm(plan, spans.spans()), pairsRowByRow(plan, spans.spans()));
  }
}

TEST(Prediction, ALaterSegmentStartsWhereTheConversationStands) {
  const phase::PhasePlan plan = *preset("vanilla", 30);
  const phase::PhaseSpan turn[] = {{1000, 1010, phase::Phase::decode}};
  EXPECT_EQ(predictPrefill(smol, plan, turn).pairs,
            30u * (1001 + 1002 + 1003 + 1004 + 1005 + 1006 + 1007 + 1008 + 1009 + 1010));
}

TEST(Prediction, AbsurdLengthsStopAtTheLargestNumber) {
  ModelShape huge = llama7b;
  huge.layers = 1000;
  const phase::PhasePlan plan = *preset("vanilla", 1000);
  EXPECT_EQ(predictPrompt(huge, plan, UINT32_MAX).flop(), UINT64_MAX);
  EXPECT_GE(predictPrompt(huge, plan, UINT32_MAX).flop(), predictPrompt(huge, plan, UINT32_MAX / 2).flop());
}

TEST(Memory, IsWeightsPlusCachePlusWorkspace) {
  const MemoryPrediction memory = predictMemory(smol, 8192, 5'000'000);
  EXPECT_EQ(memory.kv, uint64_t{8192} * 23'040);
  EXPECT_EQ(memory.total(), 98'000'000 + 8192 * 23'040 + 5'000'000);
}

TEST(Memory, TheLargestContextJustFits) {
  const uint64_t budget = 300'000'000;
  const uint32_t tokens = largestContext(smol, budget, 5'000'000);
  EXPECT_LE(predictMemory(smol, tokens, 5'000'000).total(), budget);
  EXPECT_GT(predictMemory(smol, tokens + 1, 5'000'000).total(), budget);
  EXPECT_EQ(largestContext(smol, 98'000'000, 0), 0u);
  EXPECT_EQ(largestContext(smol, 1000, 0), 0u);
  EXPECT_EQ(largestContext(smol, UINT64_MAX, 0), UINT32_MAX);
  EXPECT_EQ(largestContext(smol, UINT64_MAX, UINT64_MAX), 0u);
}

TEST(SpeedUp, FormulaGivesThePublishedFigures) {
  EXPECT_NEAR(speedUpFormula(3072, 1.0, 131072, 704), 18.2, 0.05);
  EXPECT_NEAR(speedUpFormula(3072, 0.78, 131072, 704), 21.9, 0.1);
  EXPECT_NEAR(speedUpFormula(3072, 0.5, 131072, 704), 30, 0.1);
}

TEST(SpeedUp, ExactCountsComeCloseToTheFormula) {
  const phase::PhasePlan plan = *preset("orthros", 30);
  for (const double eta : {0.5, 0.78, 1.0}) {
    EXPECT_NEAR(predictSpeedUp(smol, plan, 131072, eta).endToEnd, speedUpFormula(3072, eta, 131072, 704),
                0.15);
  }
  EXPECT_NEAR(predictSpeedUp(smol, plan, 131072, 1.0).attention, 65536.0 / 704, 0.5);
}

TEST(SpeedUp, IsOneWhereThePlanChangesNothing) {
  const SpeedUp speedUp = predictSpeedUp(smol, *preset("orthros", 30), 256, 0.7);
  EXPECT_DOUBLE_EQ(speedUp.endToEnd, 1.0);
  EXPECT_DOUBLE_EQ(speedUp.attention, 1.0);
  EXPECT_DOUBLE_EQ(predictSpeedUp(smol, *preset("orthros", 30), 0, 0.7).endToEnd, 1.0);
}

TEST(Time, FollowsTheRates) {
  const phase::PhasePlan plan = *preset("vanilla", 30);
  const DeviceRates rates{.matmulFlops = 90e9, .attentionFlops = 70e9, .copyBytes = 17e9};
  const Prediction prefill = predictPrompt(smol, plan, 2048);
  const double seconds =
      static_cast<double>(prefill.matmulFlop) / 90e9 + static_cast<double>(prefill.attentionFlop) / 70e9;
  EXPECT_NEAR(*prefillNs(prefill, rates), 1e9 * seconds, 1.0);
  const Prediction decode = predictDecode(smol, plan, 2048);
  EXPECT_NEAR(*decodeNs(decode, rates), static_cast<double>(decode.bytes) / 17.0, 1.0);
  EXPECT_FALSE(prefillNs(prefill, {.matmulFlops = 1e9}));
  EXPECT_FALSE(decodeNs(decode, {.matmulFlops = 1e9}));
}

}  // namespace
}  // namespace orthros::cost
