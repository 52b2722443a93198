#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/unit/gguf_test_support.hpp"

namespace orthros::gguf {
namespace {

std::vector<float> roundTrip(Format format, const std::vector<float>& values) {
  return test::expanded(format, quantize(format, values));
}

double rootMeanSquare(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

struct Bound {
  Format format;
  double relativeError;  // root mean square, of values of deviation 1
};

class QuantizeBound : public testing::TestWithParam<Bound> {};

// About 10 % above what each format reaches on normal values: a lost bit or a wrong nibble doubles the error
// at least.
INSTANTIATE_TEST_SUITE_P(Formats, QuantizeBound,
                         testing::Values(Bound{Format::f32, 0}, Bound{Format::f16, 2.5e-4},
                                         Bound{Format::bf16, 2e-3}, Bound{Format::q4_0, 0.096},
                                         Bound{Format::q4_1, 0.085}, Bound{Format::q5_0, 0.046},
                                         Bound{Format::q5_1, 0.042}, Bound{Format::q8_0, 0.0055},
                                         Bound{Format::q4_k, 0.076}, Bound{Format::q5_k, 0.039},
                                         Bound{Format::q6_k, 0.018}),
                         [](const auto& instance) { return traitsOf(instance.param.format)->name; });

TEST_P(QuantizeBound, NormalValuesStayWithinTheErrorBound) {
  const auto values = test::normalValues(256 * 64, 1);
  const double error = rootMeanSquare(values, roundTrip(GetParam().format, values));
  EXPECT_LE(error, GetParam().relativeError);
  EXPECT_GE(error, GetParam().relativeError * 0.5) << "the bound is too loose";
}

TEST_P(QuantizeBound, ErrorScalesWithTheValues) {
  for (const float deviation : {1e-2f, 0.02f, 300.f}) {
    const auto values = test::normalValues(256 * 16, 2, deviation);
    const double limit = GetParam().relativeError * deviation * 1.25;
    EXPECT_LE(rootMeanSquare(values, roundTrip(GetParam().format, values)), limit) << deviation;
  }
}

TEST_P(QuantizeBound, ValuesThatTheFormatHoldsAreKept) {
  // Expanding and quantising once more may move scales by a rounding but not the values by a level.
  const auto once = roundTrip(GetParam().format, test::normalValues(256 * 8, 3));
  const auto twice = roundTrip(GetParam().format, once);
  EXPECT_LE(rootMeanSquare(once, twice), GetParam().relativeError * 0.35);
}

TEST_P(QuantizeBound, ZerosStayZeros) {
  for (const float value : roundTrip(GetParam().format, std::vector<float>(512, 0.f))) ASSERT_EQ(value, 0.f);
}

TEST_P(QuantizeBound, ConstantsAreKept) {
  for (const float constant : {1.f, -1.f, 0.37f, -0.02f}) {
    const std::vector<float> values(256, constant);
    for (const float value : roundTrip(GetParam().format, values))
      ASSERT_NEAR(value, constant, 0.011 * std::abs(constant)) << constant;
  }
}

TEST_P(QuantizeBound, IsDeterministicAndLocal) {
  // A block depends on its own values only.
  const auto values = test::normalValues(1024, 6);
  const auto all = quantize(GetParam().format, values);
  EXPECT_EQ(all, quantize(GetParam().format, values));
  const auto second = quantize(GetParam().format, std::span(values).subspan(256, 256));
  const size_t at = static_cast<size_t>(formatBytes(GetParam().format, 256));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), all.begin() + static_cast<ptrdiff_t>(at)));
}

TEST(Quantize, ShiftedValuesUseTheMinimum) {
  auto values = test::normalValues(256 * 8, 4, 0.1f);
  for (float& value : values) value -= 3.f;
  for (const Format format : {Format::q4_1, Format::q5_1, Format::q4_k, Format::q5_k}) {
    // A super-block's minimums have 6 bits of the largest one: their rounding adds to the error.
    EXPECT_LE(rootMeanSquare(values, roundTrip(format, values)), 0.04) << traitsOf(format)->name;
  }
  // Without a minimum 15 levels have to span 6 units.
  EXPECT_GE(rootMeanSquare(values, roundTrip(Format::q4_0, values)), 0.08);
}

TEST(Quantize, ExtremeAndNonFiniteValuesGiveFiniteBlocks) {
  auto values = test::normalValues(512, 5);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[40] = std::numeric_limits<float>::infinity();
  values[41] = -std::numeric_limits<float>::infinity();
  values[300] = std::numeric_limits<float>::max();
  values[301] = -std::numeric_limits<float>::max();
  values[500] = std::numeric_limits<float>::denorm_min();
  const std::vector<float> tiny(256, 1e-38f);
  for (const Format format : test::allFormats()) {
    if (traitsOf(format)->blockElements == 1) continue;  // these hold values that are not finite
    for (const float value : roundTrip(format, values))
      ASSERT_TRUE(std::isfinite(value)) << traitsOf(format)->name;
    for (const float value : roundTrip(format, tiny))
      ASSERT_LE(std::abs(value), 1e-6f) << traitsOf(format)->name;
  }
}

TEST(Quantize, EveryElementTakesTheNearestLevel) {
  const auto values = test::normalValues(32 * 50, 7);
  const auto expandedValues = roundTrip(Format::q4_1, values);
  for (size_t block = 0; block < values.size() / 32; ++block) {
    const auto [low, high] = std::minmax_element(values.begin() + static_cast<ptrdiff_t>(32 * block),
                                                 values.begin() + static_cast<ptrdiff_t>(32 * block + 32));
    const float step = (*high - *low) / 15;
    for (size_t i = 32 * block; i < 32 * block + 32; ++i)
      ASSERT_LE(std::abs(values[i] - expandedValues[i]), step * 0.51f + 2e-3f);
  }
}

TEST(Quantize, CentredFormatsGiveTheExtremeItsExactCode) {
  std::vector<float> values(32, 0.f);
  values[7] = 4.f;
  values[20] = -1.f;
  EXPECT_EQ(roundTrip(Format::q4_0, values), values);
  EXPECT_EQ(roundTrip(Format::q5_0, values), values);
}

TEST(Quantize, SearchBeatsTheSimpleScales) {
  const auto values = test::normalValues(256 * 64, 8);
  const double searched = rootMeanSquare(values, roundTrip(Format::q4_k, values));
  const double simple = rootMeanSquare(values, roundTrip(Format::q4_1, values));
  EXPECT_LT(searched, simple);
}

}  // namespace
}  // namespace orthros::gguf
