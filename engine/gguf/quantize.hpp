// Shared by the quantisers of plain blocks and of super-blocks; not for other rooms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/gguf/blocks.hpp"

namespace orthros::gguf {

// The nearest half, saturated at the largest finite one.
inline uint16_t finiteHalf(float value) {
  return floatToHalf(std::min(65504.f, std::max(-65504.f, value)));
}

// round(value * inverseStep) within [lowest, highest], which are integers. The order of the arguments of min
// and max sends a NaN to `lowest`; truncation of a number that is not negative rounds without a call to
// floor.
inline float nearestLevel(float value, float inverseStep, float lowest, float highest) {
  const float level = std::min(highest, std::max(lowest, value * inverseStep));
  return static_cast<float>(static_cast<int32_t>(level - lowest + 0.5f)) + lowest;
}

// 1 / step, or 0 where that is not finite: every level then becomes the one of value 0.
inline float inverseOf(float step) {
  const float inverse = 1.f / step;
  return std::isfinite(inverse) ? inverse : 0.f;
}

// One super-block of 256 finite values.
void pack(const float (&values)[256], BlockQ4_K& block);
void pack(const float (&values)[256], BlockQ5_K& block);
void pack(const float (&values)[256], BlockQ6_K& block);

}  // namespace orthros::gguf
