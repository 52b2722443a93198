// The converted model under phase-aware attention on the default device, against the exact f32 reference.
#include <cmath>

#include <gtest/gtest.h>

#include "engine/session/model_files.hpp"
#include "tests/golden/golden_checks.hpp"

namespace orthros::golden {
namespace {

constexpr const char* needle = "needle-1900";

class OrthrosGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = whyNotRun(); !why.empty()) GTEST_SKIP() << why;
  }
};

double referenceNll(const std::string& name) {
  return caseNamed("smollm2-135m-orthros.json", "cases", name).at("mean_nll").get<double>();
}

TEST_F(OrthrosGolden, RawBaseWindow128) {
  checkOrthrosCase("raw-base-w128", false);
}
TEST_F(OrthrosGolden, RawBaseWindow128Float) {
  checkOrthrosCase("raw-base-w128", true);
}
TEST_F(OrthrosGolden, RawAdapterWindow512) {
  checkOrthrosCase("raw-adapter-w512", false);
}
TEST_F(OrthrosGolden, RawAdapterWindow512Float) {
  checkOrthrosCase("raw-adapter-w512", true);
}
TEST_F(OrthrosGolden, RawAdapterVanilla) {
  checkOrthrosCase("raw-adapter-vanilla", false);
}
TEST_F(OrthrosGolden, RawAdapterVanillaFloat) {
  checkOrthrosCase("raw-adapter-vanilla", true);
}
TEST_F(OrthrosGolden, TwoTurns) {
  checkOrthrosCase("two-turns", false);
}
TEST_F(OrthrosGolden, TwoTurnsFloat) {
  checkOrthrosCase("two-turns", true);
}

TEST_F(OrthrosGolden, TheNeedleIsFoundUnderTheDefaultPlan) {
  const auto measured = checkOrthrosCase(needle, false);
  ASSERT_TRUE(measured);
  const auto setUp = session::defaultSetUp();
  ASSERT_TRUE(setUp);
  const auto files = session::openModelFiles(setUp->model, setUp->adapter);
  ASSERT_TRUE(files) << files.error().message();
  const auto vocabulary = session::loadVocabulary(*files);
  ASSERT_TRUE(vocabulary);
  const std::string answer = (*vocabulary)->detokenize(measured->greedy, true);
  EXPECT_NE(answer.find("KESTREL-7392"), std::string::npos) << answer;
  const auto golden = evaluate::goldenCaseFromJson(caseNamed("smollm2-135m-orthros.json", "cases", needle));
  ASSERT_TRUE(golden);
  EXPECT_EQ(golden->plan(files->spec.layers).prefill, files->ownPlan.prefill)
      << "the case is the adapter's own plan";
}

TEST_F(OrthrosGolden, NeedleFloat) {
  checkOrthrosCase(needle, true);
}

// Figures of their own, so plan and factors demonstrably reach the kernels.
TEST_F(OrthrosGolden, WithoutFactorsItIsAnotherResult) {
  const auto measured = checkOrthrosCase("needle-1900-without-factors", false);
  ASSERT_TRUE(measured);
  EXPECT_GT(std::abs(measured->meanNll - referenceNll(needle)), 0.1);
}

TEST_F(OrthrosGolden, WithoutSinksItIsAnotherResult) {
  const auto measured = checkOrthrosCase("needle-1900-no-sinks", false);
  ASSERT_TRUE(measured);
  EXPECT_GT(std::abs(measured->meanNll - referenceNll(needle)), 0.5);
}

}  // namespace
}  // namespace orthros::golden
