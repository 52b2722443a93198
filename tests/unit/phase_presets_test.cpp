#include <gtest/gtest.h>

#include "engine/phase/describe.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::phase {
namespace {

const LayerAttention full{};
const LayerAttention window512{AttentionKind::window, 512, 0};
const LayerAttention window512sinks64{AttentionKind::window, 512, 64};

bool allAre(const std::vector<LayerAttention>& layers, const LayerAttention& entry) {
  return layers == std::vector<LayerAttention>(layers.size(), entry);
}

TEST(Presets, AreWhatTheirNamesSay) {
  const PhasePlan vanilla = *preset("vanilla", 3);
  EXPECT_TRUE(allAre(vanilla.prefill, full) && allAre(vanilla.decode, full));
  const PhasePlan orthros = *preset("orthros", 3);
  EXPECT_TRUE(allAre(orthros.prefill, window512sinks64) && allAre(orthros.decode, full));
  EXPECT_EQ(orthros.tail, 128u);
  EXPECT_EQ(orthros.fullMax, 256u);
  const PhasePlan swaa = *preset("swaa", 3);
  EXPECT_TRUE(allAre(swaa.prefill, window512) && allAre(swaa.decode, full));
  EXPECT_EQ(swaa.tail, 1u);
  const PhasePlan swaOnly = *preset("swa-only", 3);
  EXPECT_TRUE(allAre(swaOnly.prefill, window512) && allAre(swaOnly.decode, window512));
  const PhasePlan streaming = *preset("streaming", 3);
  EXPECT_TRUE(allAre(streaming.prefill, window512sinks64) && allAre(streaming.decode, window512sinks64));
  const PhasePlan triShape = *preset("tri-shape", 3);
  EXPECT_TRUE(allAre(triShape.prefill, window512sinks64) && allAre(triShape.decode, full));
  EXPECT_EQ(triShape.tail, 100u);
}

TEST(Presets, InterleavedHasEveryKthLayerFullInBothPhases) {
  const PhasePlan plan = *preset("interleaved", 7, {.window = 512, .interleave = 3});
  for (uint32_t layer = 0; layer < 7; ++layer) {
    const LayerAttention& expected = layer == 2 || layer == 5 ? full : window512;
    EXPECT_EQ(plan.attention(layer, Phase::prefill), expected) << layer;
    EXPECT_EQ(plan.attention(layer, Phase::decode), expected) << layer;
  }
}

TEST(Presets, TakeTheirSizesFromTheOptions) {
  const PhasePlan plan = *preset("orthros", 2, {.window = 100, .sinks = 7, .tail = 9, .fullMax = 11});
  EXPECT_EQ(plan.prefill[1], (LayerAttention{AttentionKind::window, 100, 7}));
  EXPECT_EQ(plan.tail, 9u);
  EXPECT_EQ(plan.fullMax, 11u);
}

TEST(Presets, AllAreListedValidAndRecognised) {
  ASSERT_EQ(presets().size(), 7u);
  for (const PresetInfo& info : presets()) {
    for (const uint32_t layers : {1u, 2u, 30u}) {
      const PhasePlan plan =
          *preset(info.name, layers, {.window = 33, .sinks = 5, .tail = 4, .fullMax = 6, .interleave = 2});
      EXPECT_EQ(plan.name, info.name);
      EXPECT_EQ(plan.layers(), layers);
      EXPECT_TRUE(validate(plan, layers, 4096));
      EXPECT_EQ(presetNameOf(plan), info.name);
    }
    EXPECT_GT(std::string(info.description).size(), 20u);
    EXPECT_TRUE(isPresetName(info.name));
  }
}

TEST(Presets, NamelessPlansAreNamedAfterTheMostSpecificPreset) {
  PhasePlan plan = *preset("orthros", 4, {.sinks = 0, .tail = 1});
  plan.name.clear();
  EXPECT_EQ(presetNameOf(plan), "swaa");
  plan.prefill[2].window = 9;
  EXPECT_EQ(presetNameOf(plan), "custom");
}

TEST(Presets, BadOptionsAndNamesAreErrors) {
  EXPECT_EQ(preset("orthos", 2).error().code, ErrorCode::notFound);
  EXPECT_NE(preset("orthos", 2).error().nextStep.find("tri-shape"), std::string::npos);
  EXPECT_EQ(preset("orthros", 2, {.window = 0}).error().subject, "window");
  EXPECT_EQ(preset("orthros", 2, {.tail = 0}).error().subject, "tail");
  EXPECT_EQ(preset("interleaved", 2, {.interleave = 0}).error().subject, "interleave");
}

TEST(Validate, NamesTheField) {
  const PhasePlan good = *preset("orthros", 3);
  EXPECT_TRUE(validate(good, 3, 64));
  EXPECT_EQ(validate(good, 4, 4096).error().subject, "prefill.kind");
  EXPECT_EQ(validate(good, 3, 63).error().subject, "prefill.sinks");
  PhasePlan bad = good;
  bad.prefill[1].window = 0;
  EXPECT_EQ(validate(bad, 3, 4096).error().subject, "prefill.window");
  bad = good;
  bad.tail = 0;
  EXPECT_EQ(validate(bad, 3, 4096).error().subject, "prefill.tail");
  bad = good;
  bad.decode.pop_back();
  EXPECT_EQ(validate(bad, 3, 4096).error().subject, "decode.kind");
  bad = good;
  bad.decode[2] = {AttentionKind::window, 0, 0};
  EXPECT_EQ(validate(bad, 3, 4096).error().subject, "decode.window");
  bad = good;
  bad.decode[2] = {static_cast<AttentionKind>(2), 1, 0};
  EXPECT_EQ(validate(bad, 3, 4096).error().subject, "decode.kind");
}

TEST(Describe, SaysWhatAPlanReads) {
  EXPECT_EQ(describe(*preset("vanilla", 30)), "full attention");
  EXPECT_EQ(describe(*preset("orthros", 30)), "window 512 + 64 sinks, last 128 full");
  EXPECT_EQ(describe(*preset("swaa", 30)), "window 512, last 1 full");
  EXPECT_EQ(describe(*preset("swa-only", 30)), "window 512, answers too");
  EXPECT_EQ(describe(*preset("interleaved", 30)), "window 512 in 23 of 30 layers, answers too");
  PhasePlan plan = *preset("orthros", 4);
  plan.prefill[0].window = 256;
  EXPECT_EQ(describe(plan), "window 256 to 512 + 64 sinks, last 128 full");
  plan.decode[3] = window512;
  EXPECT_EQ(describe(plan), "window 256 to 512 + 64 sinks, last 128 and answers window 512 in 1 of 4 layers");
}

}  // namespace
}  // namespace orthros::phase
