#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "engine/model/rope_scaling.hpp"
#include "engine/model/spec.hpp"
#include "tests/unit/model_spec_support.hpp"

namespace orthros::model {
namespace {

using test::EditableFile;

// Head size 32, base 10000, context 4096.
Result<ModelSpec> specWith(const std::vector<std::pair<std::string, gguf::Value>>& keys,
                           bool ropeFreqs = false) {
  EditableFile edited = EditableFile::model({.layers = 1, .embeddingFormat = {}, .ropeFreqs = ropeFreqs});
  for (const auto& [key, value] : keys) edited.set("llama.rope." + key, value);
  const auto bytes = edited.bytes();
  ORTHROS_ASSIGN(const gguf::File file, gguf::File::parse(bytes, "edited.gguf"));
  return readSpec(file);
}

gguf::Value text(const char* value) {
  return std::string(value);
}

TEST(Rope, FrequenciesAreAGeometricSeries) {
  const RopeSpec rope{.dimensions = 64, .base = 100000.f, .factors = {}};
  const auto frequencies = rope.frequencies();
  ASSERT_EQ(frequencies.size(), 32u);
  EXPECT_EQ(frequencies[0], 1.0);
  EXPECT_NEAR(frequencies[1], 0.6978305848598664, 1e-15);
  EXPECT_NEAR(frequencies[31], std::pow(1e5, -62.0 / 64), 1e-18);
}

TEST(Rope, FactorsDivideAndScaleMultiplies) {
  RopeSpec rope{.dimensions = 4, .base = 100.f, .scale = 0.5f, .factors = {1.f, 4.f}};
  EXPECT_DOUBLE_EQ(rope.frequencies()[0], 0.5);
  EXPECT_DOUBLE_EQ(rope.frequencies()[1], 0.1 / 4 * 0.5);
  rope.dimensions = 0;
  EXPECT_TRUE(rope.frequencies().empty());
}

TEST(Rope, FactorsOfTheFileReachTheFrequencies) {
  const auto spec = specWith({}, true);
  ASSERT_TRUE(spec) << spec.error().message();
  ASSERT_EQ(spec->rope.factors.size(), 16u);
  EXPECT_EQ(spec->rope.factors[7], 1.f);
  EXPECT_EQ(spec->rope.factors[15], 8.f);
  EXPECT_DOUBLE_EQ(spec->rope.frequencies()[15], std::pow(10000.0, -30.0 / 32) / 8);
}

TEST(Rope, FactorsMustBeAboveZero) {
  for (const float bad :
       {0.f, -1.f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> factors(16, 1.f);
    factors[5] = bad;
    const auto bytes = EditableFile::model().setTensor("rope_freqs.weight", {16}, factors).bytes();
    EXPECT_FAILS(readSpec(*gguf::File::parse(bytes, "x")), ErrorCode::malformed,
                 "rope_freqs.weight: factor 5");
  }
}

TEST(Rope, LinearScalingInItsThreeSpellings) {
  for (const auto& keys : std::vector<std::vector<std::pair<std::string, gguf::Value>>>{
           {{"scaling.type", text("linear")}, {"scaling.factor", 4.f}},
           {{"scaling.factor", 4.f}},
           {{"scale_linear", 4.f}},
           {{"scale_linear", 2.f}, {"scaling.factor", 4.f}}}) {
    const auto spec = specWith(keys);
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_EQ(spec->rope.scale, 0.25f);
    EXPECT_EQ(spec->rope.frequencies()[0], 0.25);
    EXPECT_EQ(spec->rope.attentionScale, 1.f);
  }
}

TEST(Rope, NoScaling) {
  EXPECT_EQ(specWith({{"scaling.type", text("none")}, {"scaling.factor", 4.f}})->rope.scale, 1.f);
  EXPECT_EQ(specWith({{"scaling.type", text("linear")}})->rope.scale, 1.f);
  EXPECT_EQ(specWith({{"scaling.factor", 0.f}})->rope.scale, 1.f);
  EXPECT_EQ(specWith({{"scaling.attn_factor", 1.5f}})->rope.attentionScale, 1.5f);
}

TEST(Rope, PartOfAHeadMayBeRotated) {
  const auto spec = specWith({{"dimension_count", uint32_t{16}}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->rope.dimensions, 16u);
  EXPECT_EQ(spec->rope.frequencies().size(), 8u);
}

TEST(Rope, BadScalingIsNamed) {
  EXPECT_FAILS(specWith({{"scaling.type", text("longrope")}}), ErrorCode::unsupported, "is longrope");
  EXPECT_FAILS(specWith({{"scaling.type", uint32_t{1}}}), ErrorCode::malformed, "llama.rope.scaling.type");
  EXPECT_FAILS(specWith({{"scaling.factor", -2.f}}), ErrorCode::malformed, "llama.rope.scaling.factor");
  EXPECT_FAILS(specWith({{"scaling.factor", std::nanf("")}}), ErrorCode::malformed,
               "llama.rope.scaling.factor");
  EXPECT_FAILS(specWith({{"scaling.factor", std::numeric_limits<float>::denorm_min()}}), ErrorCode::malformed,
               "llama.rope.scaling.factor");
  EXPECT_FAILS(specWith({{"scaling.attn_factor", 0.f}}), ErrorCode::malformed,
               "llama.rope.scaling.attn_factor");
  const std::pair<std::string, gguf::Value> yarn = {"scaling.type", text("yarn")};
  EXPECT_FAILS(specWith({yarn, {"scaling.factor", 0.5f}}), ErrorCode::malformed, "llama.rope.scaling.factor");
  EXPECT_FAILS(specWith({yarn, {"scaling.original_context_length", uint32_t{0}}}), ErrorCode::malformed,
               "llama.rope.scaling.original_context_length");
  EXPECT_FAILS(specWith({yarn, {"scaling.yarn_beta_fast", 0.f}}), ErrorCode::malformed, "yarn_beta_fast");
  EXPECT_FAILS(specWith({yarn, {"scaling.yarn_ext_factor", 2.f}}), ErrorCode::malformed, "yarn_ext_factor");
}

// The angle per position as YaRN's paper and the common implementations state it: the interpolated and the
// kept angle mixed by a ramp over pairs.
double yarnAngle(int pair, int dimensions, double base, double context, double factor, double fast,
                 double slow, double ownFactor) {
  const auto turnsPair = [&](double turns) {
    return dimensions * std::log(context / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  const double low = std::max(0.0, std::floor(turnsPair(fast)));
  const double high = std::min(dimensions - 1.0, std::ceil(turnsPair(slow)));
  const double ramp = std::min(1.0, std::max(0.0, (pair - low) / std::max(0.001, high - low)));
  const double kept = std::pow(base, -2.0 * pair / dimensions) / ownFactor;
  return kept / factor * ramp + kept * (1 - ramp);
}

TEST(Rope, YarnIsInTheFactors) {
  for (const bool ropeFreqs : {false, true}) {
    const auto spec = specWith({{"scaling.type", text("yarn")},
                                {"scaling.factor", 8.f},
                                {"scaling.original_context_length", uint32_t{2048}}},
                               ropeFreqs);
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_EQ(spec->rope.scale, 1.f);
    const auto frequencies = spec->rope.frequencies();
    for (int pair = 0; pair < 16; ++pair) {
      const double own = ropeFreqs && pair >= 8 ? 1.0 + 7.0 * (pair - 7) / 8 : 1.0;
      const double expected = yarnAngle(pair, 32, 10000, 2048, 8, 32, 1, own);
      EXPECT_NEAR(frequencies[static_cast<size_t>(pair)] / expected, 1.0, 1e-6) << pair;
    }
    EXPECT_FLOAT_EQ(spec->rope.attentionScale, 0.1f * std::log(8.f) + 1.f);
  }
}

TEST(Rope, YarnKeepsFastPairsAndDividesSlowOnes) {
  RopeSpec rope{.dimensions = 128, .base = 10000.f, .factors = {}};
  applyYarn({.factor = 16.f, .originalContext = 4096.f}, rope);
  EXPECT_EQ(rope.factors.front(), 1.f);
  EXPECT_FLOAT_EQ(rope.factors.back(), 16.f);
  for (size_t pair = 1; pair < rope.factors.size(); ++pair)
    EXPECT_GE(rope.factors[pair], rope.factors[pair - 1]);
  // Pair 20 turns 4096 * 10000^(-40/128) / 2 pi = 36.7 times: above 32, kept. Pair 46 turns 0.87 times:
  // divided.
  EXPECT_EQ(rope.factors[20], 1.f);
  EXPECT_FLOAT_EQ(rope.factors[46], 16.f);
  EXPECT_GT(rope.factors[33], 1.5f);
  EXPECT_LT(rope.factors[33], 3.f);
}

TEST(Rope, YarnParametersOfTheFile) {
  const auto spec = specWith({{"scaling.type", text("yarn")},
                              {"scaling.factor", 4.f},
                              {"scaling.yarn_beta_fast", 16.f},
                              {"scaling.yarn_beta_slow", 2.f},
                              {"scaling.attn_factor", 2.f},
                              {"scaling.yarn_log_multiplier", 1.f}});
  ASSERT_TRUE(spec);
  EXPECT_FLOAT_EQ(spec->rope.attentionScale, 2.f) << "the multiplier of 1 cancels the temperature";
  for (int pair = 0; pair < 16; ++pair)
    EXPECT_NEAR(
        spec->rope.frequencies()[static_cast<size_t>(pair)] / yarnAngle(pair, 32, 10000, 4096, 4, 16, 2, 1),
        1.0, 1e-6);
  const auto interpolated =
      specWith({{"scaling.type", text("yarn")}, {"scaling.factor", 4.f}, {"scaling.yarn_ext_factor", 0.f}});
  EXPECT_FLOAT_EQ(static_cast<float>(interpolated->rope.frequencies()[0]), 0.25f);
}

}  // namespace
}  // namespace orthros::model
