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
class OrthrosGoldenShipped : public OrthrosGolden, public ::testing::WithParamInterface<const char*> {};
class OrthrosGoldenFloat : public OrthrosGolden, public ::testing::WithParamInterface<const char*> {};

TEST_P(OrthrosGoldenShipped, MeetsTheReference) {
  checkOrthrosCase(GetParam(), false);
}
TEST_P(OrthrosGoldenFloat, MeetsTheReference) {
  checkOrthrosCase(GetParam(), true);
}

// The needle's cases as shipped are below.
INSTANTIATE_TEST_SUITE_P(Cases, OrthrosGoldenShipped,
                         ::testing::Values("raw-base-w128", "raw-adapter-w512", "raw-adapter-vanilla",
                                           "two-turns"),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Thorough, OrthrosGoldenShipped, ::testing::Values("raw-adapter-6k"), caseName);
INSTANTIATE_TEST_SUITE_P(Cases, OrthrosGoldenFloat, ::testing::Values("raw-adapter-w512"), caseName);
INSTANTIATE_TEST_SUITE_P(Thorough, OrthrosGoldenFloat,
                         ::testing::Values("raw-base-w128", "raw-adapter-vanilla", "two-turns", needle),
                         caseName);

double referenceNll(const std::string& name) {
  return caseNamed("smollm2-135m-orthros.json", "cases", name).at("mean_nll").get<double>();
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
