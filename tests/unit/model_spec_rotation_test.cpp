#include <cmath>

#include <gtest/gtest.h>

#include "engine/model/rotation_angles.hpp"

namespace orthros::model {
namespace {

RopeSpec scaledRope() {
  RopeSpec rope;
  rope.dimensions = 32;
  rope.base = 100000.f;
  rope.scale = 0.25f;
  rope.attentionScale = 1.5f;
  return rope;
}

std::vector<float> anglesOf(const RopeSpec& rope, uint32_t first, uint32_t rows, uint32_t pairs) {
  std::vector<float> values(size_t{rows} * pairs * 2, -9.f);
  RotationAngles(rope).write(first, rows, pairs, values);
  return values;
}

TEST(RotationAngles, EqualTheFunctionsAtAnyPosition) {
  const RopeSpec rope = scaledRope();
  const auto frequencies = rope.frequencies();
  for (const uint32_t first : {0u, 250u, 131000u, 4000000u}) {
    const auto values = anglesOf(rope, first, 300, 16);
    for (uint32_t row = 0; row < 300; ++row)
      for (uint32_t pair = 0; pair < 16; ++pair) {
        const double angle = (first + row) * frequencies[pair];
        ASSERT_NEAR(values[(row * 16 + pair) * 2], std::cos(angle) * 1.5, 1e-6)
            << first + row << ", pair " << pair;
        ASSERT_NEAR(values[(row * 16 + pair) * 2 + 1], std::sin(angle) * 1.5, 1e-6)
            << first + row << ", pair " << pair;
      }
  }
}

TEST(RotationAngles, DependOnThePositionAlone) {
  const auto together = anglesOf(scaledRope(), 100, 400, 16);
  const auto apart = anglesOf(scaledRope(), 317, 1, 16);
  EXPECT_TRUE(std::equal(apart.begin(), apart.end(), together.begin() + 217 * 32));
}

TEST(RotationAngles, PairsThatAreNotRotatedStandStill) {
  const auto values = anglesOf(scaledRope(), 7, 2, 20);
  for (const size_t row : {0, 1})
    for (size_t pair = 16; pair < 20; ++pair) {
      EXPECT_EQ(values[(row * 20 + pair) * 2], 1.f);
      EXPECT_EQ(values[(row * 20 + pair) * 2 + 1], 0.f);
    }
}

}  // namespace
}  // namespace orthros::model
