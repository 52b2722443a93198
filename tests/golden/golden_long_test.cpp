// The long prompts: minutes without a GPU.
#include <gtest/gtest.h>

#include "tests/golden/golden_checks.hpp"

namespace orthros::golden {
namespace {

class LongGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = whyNotRun(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(LongGolden, BaseGuide3000) {
  checkBasePrompt("raw-guide-3000", model::KvPrecision::f16);
}
TEST_F(LongGolden, BaseGuide3000FloatCache) {
  checkBasePrompt("raw-guide-3000", model::KvPrecision::f32);
}
TEST_F(LongGolden, OrthrosAdapter6600) {
  checkOrthrosCase("raw-adapter-6k", false);
}

}  // namespace
}  // namespace orthros::golden
