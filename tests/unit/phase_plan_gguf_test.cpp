#include <gtest/gtest.h>

#include "engine/phase/plan_gguf.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::phase {
namespace {

constexpr uint32_t layers = 4;
constexpr uint32_t context = 8192;

template <class T>
gguf::Value arrayOf(std::vector<T> values) {
  return gguf::Array(std::move(values));
}

const Metadata good = {
    {"general.architecture", std::string("llama")}, {"orthros.version", uint32_t{1}},
    {"orthros.prefill.kind", uint32_t{1}},          {"orthros.prefill.window", uint32_t{512}},
    {"orthros.prefill.sinks", uint32_t{64}},        {"orthros.prefill.tail", uint32_t{128}},
    {"orthros.segment.full_max", uint32_t{256}},
};

// The good keys with one replaced or added.
Metadata with(const std::string& key, gguf::Value value) {
  Metadata metadata = good;
  for (auto& [name, old] : metadata) {
    if (name == key) {
      old = std::move(value);
      return metadata;
    }
  }
  metadata.emplace_back(key, std::move(value));
  return metadata;
}

Metadata without(const std::string& key) {
  Metadata metadata = good;
  std::erase_if(metadata, [&](const auto& entry) { return entry.first == key; });
  return metadata;
}

void expectError(const Metadata& metadata, ErrorCode code, const std::string& subject) {
  const auto plan = readPlan(metadata, layers, context);
  ASSERT_FALSE(plan) << subject;
  EXPECT_EQ(plan.error().subject, subject) << plan.error().message();
  EXPECT_EQ(plan.error().code, code) << plan.error().message();
}

TEST(PlanGguf, ReadsTheKeys) {
  const auto stored = readPlan(good, layers, context);
  ASSERT_TRUE(stored) << stored.error().message();
  EXPECT_TRUE(stored->present);
  EXPECT_TRUE(stored->warnings.empty());
  EXPECT_EQ(stored->plan, *preset("orthros", layers));
}

TEST(PlanGguf, WithoutVersionThePlanIsVanilla) {
  const auto none = readPlan(Metadata{{"general.architecture", std::string("llama")}}, layers, context);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->present);
  EXPECT_EQ(none->plan, *preset("vanilla", layers));
  EXPECT_TRUE(none->warnings.empty());
  const auto ignored = readPlan(without("orthros.version"), layers, context);
  ASSERT_TRUE(ignored);
  EXPECT_EQ(ignored->plan, *preset("vanilla", layers));
  EXPECT_EQ(ignored->warnings.size(), 1u);
}

TEST(PlanGguf, DefaultsOfMissingKeys) {
  const auto stored = readPlan(Metadata{{"orthros.version", uint32_t{1}}}, layers, context);
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->present);
  EXPECT_EQ(stored->plan, *preset("vanilla", layers));
  const auto noSinks = readPlan(without("orthros.prefill.sinks"), layers, context);
  ASSERT_TRUE(noSinks);
  EXPECT_EQ(noSinks->plan.prefill[0], (LayerAttention{AttentionKind::window, 512, 0}));
}

TEST(PlanGguf, PerLayerArrays) {
  Metadata metadata = with("orthros.prefill.kind", arrayOf<uint32_t>({1, 0, 1, 0}));
  metadata.emplace_back("orthros.decode.kind", arrayOf<uint32_t>({0, 0, 0, 1}));
  metadata.emplace_back("orthros.decode.window", arrayOf<uint32_t>({0, 0, 0, 33}));
  const auto stored = readPlan(metadata, layers, context);
  ASSERT_TRUE(stored) << stored.error().message();
  EXPECT_EQ(stored->plan.name, "custom");
  EXPECT_EQ(stored->plan.prefill[0], (LayerAttention{AttentionKind::window, 512, 64}));
  EXPECT_EQ(stored->plan.prefill[1], LayerAttention{});
  EXPECT_EQ(stored->plan.decode[3], (LayerAttention{AttentionKind::window, 33, 0}));
}

TEST(PlanGguf, OtherIntegerTypesAreTakenWhereTheValueFits) {
  EXPECT_EQ(readPlan(with("orthros.prefill.window", int32_t{77}), layers, context)->plan.prefill[3].window,
            77u);
  EXPECT_EQ(readPlan(with("orthros.prefill.window", arrayOf<int64_t>({1, 2, 3, 4})), layers, context)
                ->plan.prefill[3]
                .window,
            4u);
  expectError(with("orthros.prefill.window", int32_t{-1}), ErrorCode::malformed, "orthros.prefill.window");
  expectError(with("orthros.prefill.window", uint64_t{1} << 32), ErrorCode::malformed,
              "orthros.prefill.window");
}

TEST(PlanGguf, RejectsUnknownVersionsAndKinds) {
  expectError(with("orthros.version", uint32_t{2}), ErrorCode::unsupported, "orthros.version");
  expectError(with("orthros.version", uint32_t{0}), ErrorCode::unsupported, "orthros.version");
  expectError(with("orthros.prefill.kind", uint32_t{2}), ErrorCode::unsupported, "orthros.prefill.kind");
  expectError(with("orthros.prefill.kind", uint32_t{3}), ErrorCode::unsupported, "orthros.prefill.kind");
  expectError(with("orthros.prefill.kind", uint32_t{4}), ErrorCode::unsupported, "orthros.prefill.kind");
  expectError(with("orthros.decode.kind", arrayOf<uint32_t>({0, 0, 9, 0})), ErrorCode::unsupported,
              "orthros.decode.kind");
}

TEST(PlanGguf, RejectsReservedKindsByName) {
  const auto plan = readPlan(with("orthros.prefill.kind", uint32_t{3}), layers, context);
  EXPECT_NE(plan.error().happened.find("window+linear"), std::string::npos);
}

TEST(PlanGguf, RejectsArraysOfTheWrongLength) {
  expectError(with("orthros.prefill.kind", arrayOf<uint32_t>({1, 1, 1})), ErrorCode::malformed,
              "orthros.prefill.kind");
  expectError(with("orthros.prefill.window", arrayOf<uint32_t>({1, 1, 1, 1, 1})), ErrorCode::malformed,
              "orthros.prefill.window");
  expectError(with("orthros.prefill.sinks", arrayOf<uint32_t>({1})), ErrorCode::malformed,
              "orthros.prefill.sinks");
  expectError(with("orthros.prefill.sinks", arrayOf<uint32_t>({})), ErrorCode::malformed,
              "orthros.prefill.sinks");
  expectError(with("orthros.prefill.tail", arrayOf<uint32_t>({1, 1, 1, 1})), ErrorCode::malformed,
              "orthros.prefill.tail");
}

TEST(PlanGguf, RejectsSizesThatMakeNoSense) {
  expectError(with("orthros.prefill.window", uint32_t{0}), ErrorCode::malformed, "orthros.prefill.window");
  expectError(with("orthros.prefill.window", arrayOf<uint32_t>({1, 1, 0, 1})), ErrorCode::malformed,
              "orthros.prefill.window");
  expectError(with("orthros.prefill.tail", uint32_t{0}), ErrorCode::malformed, "orthros.prefill.tail");
  expectError(with("orthros.prefill.sinks", context + 1), ErrorCode::malformed, "orthros.prefill.sinks");
  EXPECT_TRUE(readPlan(with("orthros.prefill.sinks", context), layers, context));
  expectError(without("orthros.prefill.window"), ErrorCode::malformed, "orthros.prefill.window");
}

TEST(PlanGguf, RejectsWrongTypes) {
  for (const char* key : {"orthros.version", "orthros.prefill.kind", "orthros.prefill.window",
                          "orthros.prefill.sinks", "orthros.prefill.tail", "orthros.segment.full_max",
                          "orthros.decode.kind", "orthros.decode.window", "orthros.decode.sinks"}) {
    expectError(with(key, std::string("1")), ErrorCode::malformed, key);
    expectError(with(key, 1.0f), ErrorCode::malformed, key);
    expectError(with(key, true), ErrorCode::malformed, key);
    expectError(with(key, arrayOf<float>({1, 1, 1, 1})), ErrorCode::malformed, key);
    expectError(with(key, arrayOf<std::string>({"1", "1", "1", "1"})), ErrorCode::malformed, key);
  }
}

TEST(PlanGguf, UnknownKeysAreWarnings) {
  Metadata metadata = good;
  metadata.emplace_back("orthros.prefill.windw", uint32_t{3});
  metadata.emplace_back("orthros.rope.factors", arrayOf<float>({1, 2}));
  metadata.emplace_back("orthros.rope.factors_kind", std::string("llama3"));
  metadata.emplace_back("orthros.train.steps", uint32_t{800});
  metadata.emplace_back("orthrosx", uint32_t{800});
  const auto stored = readPlan(metadata, layers, context);
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->warnings.size(), 1u);
  EXPECT_NE(stored->warnings[0].find("orthros.prefill.windw"), std::string::npos);
}

TEST(PlanGguf, WrittenPlansReadBackEqual) {
  for (const PresetInfo& info : presets()) {
    const PhasePlan plan = *preset(info.name, layers, {.window = 99, .interleave = 2});
    const auto stored = readPlan(planMetadata(plan), layers, context);
    ASSERT_TRUE(stored) << stored.error().message();
    EXPECT_TRUE(stored->present);
    EXPECT_EQ(stored->plan, plan);
  }
}

TEST(PlanGguf, UniformPlansAreWrittenAsSingleNumbers) {
  for (const auto& [key, value] : planMetadata(*preset("orthros", layers))) {
    EXPECT_TRUE(std::holds_alternative<uint32_t>(value)) << key;
  }
}

}  // namespace
}  // namespace orthros::phase
