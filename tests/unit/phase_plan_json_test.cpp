#include <fstream>

#include <gtest/gtest.h>

#include "engine/phase/plan_json.hpp"

namespace orthros::phase {
namespace {

constexpr uint32_t jsonLayers = 4;
constexpr uint32_t jsonContext = 8192;

void expectError(const char* text, ErrorCode code, const std::string& subject) {
  const auto plan = parsePlan(text, jsonLayers, jsonContext);
  ASSERT_FALSE(plan) << text;
  EXPECT_EQ(plan.error().subject, subject) << plan.error().message();
  EXPECT_EQ(plan.error().code, code) << plan.error().message();
}

TEST(PlanJson, ShortForm) {
  const auto plan = parsePlan(R"({"prefill": {"kind": "window", "window": 512, "sinks": 64, "tail": 128},
                                  "segment": {"full_max": 256}})",
                              jsonLayers, jsonContext);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(*plan, *preset("orthros", jsonLayers));
}

TEST(PlanJson, FormWithArrays) {
  const auto plan = parsePlan(R"({"name": "mixed", "version": 1,
      "prefill": {"kind": ["window", "full", "window", "full"], "window": [8, 0, 16, 0]},
      "decode": {"kind": ["full", "full", "full", "window"], "window": 3}})",
                              jsonLayers, jsonContext);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->name, "mixed");
  EXPECT_EQ(plan->prefill[2], (LayerAttention{AttentionKind::window, 16, 0}));
  EXPECT_EQ(plan->prefill[1], LayerAttention{});
  EXPECT_EQ(plan->decode[3], (LayerAttention{AttentionKind::window, 3, 0}));
  EXPECT_EQ(plan->tail, 1u);
}

TEST(PlanJson, AnEmptyObjectIsVanilla) {
  EXPECT_EQ(*parsePlan("{}", jsonLayers, jsonContext), *preset("vanilla", jsonLayers));
}

TEST(PlanJson, RoundTripOfEveryPreset) {
  for (const PresetInfo& info : presets()) {
    const PhasePlan plan = *preset(info.name, jsonLayers, {.window = 99, .tail = 100, .interleave = 2});
    const auto back = planFromJson(toJson(plan), jsonLayers, jsonContext);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, plan);
  }
}

TEST(PlanJson, APresetsNameIsNotLentToAnotherPlan) {
  EXPECT_EQ(
      parsePlan(R"({"name": "vanilla", "prefill": {"kind": "window", "window": 8}})", jsonLayers, jsonContext)
          ->name,
      "swaa");
  EXPECT_EQ(
      parsePlan(R"({"name": "mine", "prefill": {"kind": "window", "window": 8}})", jsonLayers, jsonContext)
          ->name,
      "mine");
}

TEST(PlanJson, ErrorsNameTheField) {
  expectError("", ErrorCode::malformed, "plan");
  expectError("[]", ErrorCode::malformed, "plan");
  expectError(R"({"prefill": )", ErrorCode::malformed, "plan");
  expectError(R"({"tail": 3})", ErrorCode::malformed, "tail");
  expectError(R"({"prefil": {}})", ErrorCode::malformed, "prefil");
  expectError(R"({"prefill.window": 3})", ErrorCode::malformed, "prefill.window");
  expectError(R"({"prefill": 3})", ErrorCode::malformed, "prefill");
  expectError(R"({"name": 3})", ErrorCode::malformed, "name");
  expectError(R"({"prefill": {"windw": 3}})", ErrorCode::malformed, "prefill.windw");
  expectError(R"({"prefill": {"kind": "windows"}})", ErrorCode::malformed, "prefill.kind");
  expectError(R"({"prefill": {"kind": 1}})", ErrorCode::malformed, "prefill.kind");
  expectError(R"({"prefill": {"kind": "window"}})", ErrorCode::malformed, "prefill.window");
  expectError(R"({"prefill": {"kind": "window", "window": 0}})", ErrorCode::malformed, "prefill.window");
  expectError(R"({"prefill": {"kind": "window", "window": -3}})", ErrorCode::malformed, "prefill.window");
  expectError(R"({"prefill": {"kind": "window", "window": 3.5}})", ErrorCode::malformed, "prefill.window");
  expectError(R"({"prefill": {"kind": "window", "window": 4294967296}})", ErrorCode::malformed,
              "prefill.window");
  expectError(R"({"prefill": {"kind": "window", "window": [3, 3]}})", ErrorCode::malformed, "prefill.window");
  expectError(R"({"prefill": {"kind": "window", "window": 3, "sinks": 9000}})", ErrorCode::malformed,
              "prefill.sinks");
  expectError(R"({"prefill": {"tail": 0}})", ErrorCode::malformed, "prefill.tail");
  expectError(R"({"prefill": {"tail": [1]}})", ErrorCode::malformed, "prefill.tail");
  expectError(R"({"segment": {"full_max": null}})", ErrorCode::malformed, "segment.full_max");
  expectError(R"({"decode": {"kind": "linear"}})", ErrorCode::unsupported, "decode.kind");
  expectError(R"({"version": 2})", ErrorCode::unsupported, "version");
}

class PlanFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("orthros_plan_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const char* text) const {
    const std::filesystem::path path = folder_ / "plan.json";
    std::ofstream(path) << text;
    return path.string();
  }
  std::filesystem::path folder_;
};

TEST_F(PlanFile, IsReadByPath) {
  const auto plan =
      choosePlan(write(R"({"prefill": {"kind": "window", "window": 7}})"), jsonLayers, jsonContext);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->prefill[0].window, 7u);
}

TEST_F(PlanFile, ErrorsNameFileAndField) {
  const std::string path = write(R"({"prefill": {"kind": "window", "window": 0}})");
  EXPECT_EQ(choosePlan(path, jsonLayers, jsonContext).error().subject, path + ": prefill.window");
}

TEST_F(PlanFile, ANameThatIsNeitherPresetNorFileSaysSo) {
  const auto plan = choosePlan((folder_ / "missing.json").string(), jsonLayers, jsonContext);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::notFound);
  EXPECT_NE(plan.error().nextStep.find("orthros"), std::string::npos);
}

TEST_F(PlanFile, PresetsAreChosenByNameAndChecked) {
  EXPECT_EQ(*choosePlan("streaming", jsonLayers, jsonContext), *preset("streaming", jsonLayers));
  EXPECT_EQ(choosePlan("orthros", jsonLayers, 10).error().subject, "prefill.sinks");
}

}  // namespace
}  // namespace orthros::phase
