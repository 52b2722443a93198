#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/gguf/half.hpp"

namespace orthros::gguf {
namespace {

// The value of a half from its fields, by definition.
double definedValue(uint16_t half) {
  const int exponent = (half >> 10) & 31, mantissa = half & 1023;
  const double sign = half & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa ? std::nan("") : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, EveryHalfHasItsDefinedValue) {
  for (uint32_t half = 0; half < 65536; ++half) {
    const double defined = definedValue(static_cast<uint16_t>(half));
    const float converted = halfToFloat(static_cast<uint16_t>(half));
    if (std::isnan(defined)) {
      EXPECT_TRUE(std::isnan(converted)) << half;
    } else {
      EXPECT_EQ(static_cast<double>(converted), defined) << half;
    }
  }
  EXPECT_TRUE(std::signbit(halfToFloat(0x8000)));
}

TEST(Half, EveryHalfSurvivesTheWayBack) {
  for (uint32_t half = 0; half < 65536; ++half) {
    const float value = halfToFloat(static_cast<uint16_t>(half));
    const uint16_t back = floatToHalf(value);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(halfToFloat(back))) << half;
    } else {
      EXPECT_EQ(back, half);
    }
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (uint32_t half = 0; half + 1 < 0x7c00; ++half) {
    const float low = halfToFloat(static_cast<uint16_t>(half)),
                high = halfToFloat(static_cast<uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;  // exact: a half has 13 spare bits in a float
    EXPECT_EQ(floatToHalf(middle), half % 2 == 0 ? half : half + 1);
    EXPECT_EQ(floatToHalf(std::nextafter(middle, low)), half);
    EXPECT_EQ(floatToHalf(std::nextafter(middle, high)), half + 1);
    EXPECT_EQ(floatToHalf(-middle), (half % 2 == 0 ? half : half + 1) | 0x8000u);
  }
}

TEST(Half, OverflowBecomesInfinity) {
  EXPECT_EQ(floatToHalf(65519.996f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.f), 0x7c00);
  EXPECT_EQ(floatToHalf(-1e30f), 0xfc00);
  EXPECT_EQ(floatToHalf(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(floatToHalf(1e-30f), 0);
}

TEST(Bfloat, ConvertsBothWays) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = bfloatToFloat(static_cast<uint16_t>(bits));
    EXPECT_EQ(std::bit_cast<uint32_t>(value), bits << 16);
    if (std::isnan(value)) continue;
    EXPECT_EQ(floatToBfloat(value), bits);
  }
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(std::bit_cast<float>(0x7f800001u)))));
}

TEST(Bfloat, TiesToEven) {
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3f808001u)), 0x3f81);
}

}  // namespace
}  // namespace orthros::gguf
