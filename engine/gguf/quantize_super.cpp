// Super-blocks (Q4_K, Q5_K, Q6_K): each group's scale is the one of least square error among a few
// candidates; the groups' scales are then rounded to common steps and every element takes the nearest level
// of the rounded scales.
#include <algorithm>
#include <cmath>

#include "engine/gguf/quantize.hpp"

namespace orthros::gguf {
namespace {

// The sum of term(i) for i in [0, Count), in eight lanes so that it vectorises; the order is fixed.
template <int Count, class Term>
float laneSum(Term term) {
  float lanes[8] = {};
  for (int i = 0; i < Count; i += 8) {
    for (int lane = 0; lane < 8; ++lane) lanes[lane] += term(i + lane);
  }
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

template <int Count>
float largestMagnitude(const float* values) {
  return *std::max_element(values, values + Count,
                           [](float a, float b) { return std::abs(a) < std::abs(b); });
}

template <int Count>
float squareError(const float* values, const float* levels, float scale, float minimum) {
  return laneSum<Count>([&](int i) {
    const float difference = scale * levels[i] - minimum - values[i];
    return difference * difference;
  });
}

struct AffineFit {
  float scale = 0;    // >= 0
  float minimum = 0;  // >= 0; a value is scale * level - minimum
};

// The line through (level, value) of least square error with a minimum that is not negative.
AffineFit leastSquares(const float* values, const float* levels) {
  const double sumLevel = laneSum<32>([&](int i) { return levels[i]; });
  const double sumLevel2 = laneSum<32>([&](int i) { return levels[i] * levels[i]; });
  const double sumValue = laneSum<32>([&](int i) { return values[i]; });
  const double sumProduct = laneSum<32>([&](int i) { return levels[i] * values[i]; });
  const double determinant = 32 * sumLevel2 - sumLevel * sumLevel;
  if (determinant <= 0) return {};
  double scale = (32 * sumProduct - sumLevel * sumValue) / determinant;
  double offset = (sumLevel2 * sumValue - sumLevel * sumProduct) / determinant;
  if (offset > 0) {
    offset = 0;
    scale = sumProduct / sumLevel2;
  }
  return {static_cast<float>(std::max(scale, 0.0)), static_cast<float>(-offset)};
}

// The best scale and minimum for 32 values in levels 0 to highest.
AffineFit fitAffine(const float* values, float highest) {
  const float lowest = std::min(0.f, *std::min_element(values, values + 32));
  const float top = *std::max_element(values, values + 32);
  if (!(top > lowest)) return {0.f, -lowest};
  AffineFit best{(top - lowest) / highest, -lowest};
  float bestError = HUGE_VALF;
  float levels[32];
  const auto consider = [&](const AffineFit& fit) {
    const float error = squareError<32>(values, levels, fit.scale, fit.minimum);
    if (error < bestError) {
      bestError = error;
      best = fit;
    }
  };
  constexpr float stretches[] = {0.f, -0.9f, -0.6f, -0.3f, 0.3f, 0.6f, 0.9f};
  for (const float stretch : stretches) {
    const float inverse = inverseOf((top - lowest) / (highest + stretch));
    for (int i = 0; i < 32; ++i) levels[i] = nearestLevel(values[i] - lowest, inverse, 0.f, highest);
    if (stretch == 0.f) consider(best);
    const AffineFit fit = leastSquares(values, levels);
    if (fit.scale > 0.f) consider(fit);
  }
  return best;
}

// Fills scales and minimums of a block and calls store(group, codes of 32) for each group.
template <class Block, class Store>
void packGroups(const float (&values)[256], float highest, Block& block, Store store) {
  AffineFit fits[8];
  float largestScale = 0, largestMinimum = 0;
  for (int group = 0; group < 8; ++group) {
    fits[group] = fitAffine(values + 32 * group, highest);
    largestScale = std::max(largestScale, fits[group].scale);
    largestMinimum = std::max(largestMinimum, fits[group].minimum);
  }
  block.scale = finiteHalf(largestScale / 63.f);
  block.minimum = finiteHalf(largestMinimum / 63.f);
  const float scale = halfToFloat(block.scale), minimum = halfToFloat(block.minimum);
  for (int group = 0; group < 8; ++group) {
    const float groupScale = nearestLevel(fits[group].scale, inverseOf(scale), 0.f, 63.f);
    const float groupMinimum = nearestLevel(fits[group].minimum, inverseOf(minimum), 0.f, 63.f);
    packGroup(block.packed, group, {static_cast<uint8_t>(groupScale), static_cast<uint8_t>(groupMinimum)});
    const float inverse = inverseOf(scale * groupScale), offset = minimum * groupMinimum;
    uint8_t codes[32];
    for (int i = 0; i < 32; ++i)
      codes[i] = static_cast<uint8_t>(nearestLevel(values[32 * group + i] + offset, inverse, 0.f, highest));
    store(group, codes);
  }
}

void storeNibbles(uint8_t (&nibbles)[128], int group, const uint8_t (&codes)[32]) {
  uint8_t* bytes = nibbles + 32 * (group / 2);
  for (int i = 0; i < 32; ++i)
    bytes[i] = static_cast<uint8_t>(bytes[i] | ((codes[i] & 15) << (group % 2 * 4)));
}

constexpr float centre = 32;  // of Q6_K's codes

// The best scale, of either sign, for 16 values in levels -32 to 31.
float fitCentred(const float* values) {
  const float extreme = largestMagnitude<16>(values);
  if (extreme == 0.f) return 0.f;
  float best = -extreme / centre;
  float bestError = HUGE_VALF;
  float levels[16];
  const auto consider = [&](float scale) {
    const float error = squareError<16>(values, levels, scale, 0.f);
    if (error < bestError) {
      bestError = error;
      best = scale;
    }
  };
  constexpr float stretches[] = {0.f, -1.5f, -1.f, -0.5f, 0.5f, 1.f, 1.5f};
  for (const float stretch : stretches) {
    const float inverse = inverseOf(-extreme / (centre + stretch));
    for (int i = 0; i < 16; ++i) levels[i] = nearestLevel(values[i], inverse, -centre, centre - 1);
    if (stretch == 0.f) consider(best);
    const float sumLevel2 = laneSum<16>([&](int i) { return levels[i] * levels[i]; });
    const float sumProduct = laneSum<16>([&](int i) { return levels[i] * values[i]; });
    if (sumLevel2 > 0) consider(sumProduct / sumLevel2);
  }
  return best;
}

void storeSixBits(BlockQ6_K& block, int group, const uint8_t (&codes)[16]) {
  const int half = group / 8, part = group % 8 / 2, first = group % 2 * 16;
  uint8_t* nibbles = block.nibbles + 64 * half + 32 * (part & 1) + first;
  uint8_t* upper = block.upperBits + 32 * half + first;
  for (int i = 0; i < 16; ++i) {
    nibbles[i] = static_cast<uint8_t>(nibbles[i] | ((codes[i] & 15) << (part / 2 * 4)));
    upper[i] = static_cast<uint8_t>(upper[i] | ((codes[i] >> 4) << (2 * part)));
  }
}

}  // namespace

void pack(const float (&values)[256], BlockQ4_K& block) {
  packGroups(values, 15.f, block,
             [&](int group, const uint8_t(&codes)[32]) { storeNibbles(block.nibbles, group, codes); });
}

void pack(const float (&values)[256], BlockQ5_K& block) {
  packGroups(values, 31.f, block, [&](int group, const uint8_t(&codes)[32]) {
    storeNibbles(block.nibbles, group, codes);
    for (int i = 0; i < 32; ++i)
      block.fifthBits[i] = static_cast<uint8_t>(block.fifthBits[i] | ((codes[i] >> 4) << group));
  });
}

void pack(const float (&values)[256], BlockQ6_K& block) {
  float scales[16];
  for (int group = 0; group < 16; ++group) scales[group] = fitCentred(values + 16 * group);
  block.scale = finiteHalf(largestMagnitude<16>(scales) / -128.f);
  const float scale = halfToFloat(block.scale);
  for (int group = 0; group < 16; ++group) {
    const float groupScale = nearestLevel(scales[group], inverseOf(scale), -128.f, 127.f);
    block.scales[group] = static_cast<int8_t>(groupScale);
    const float inverse = inverseOf(scale * groupScale);
    uint8_t codes[16];
    for (int i = 0; i < 16; ++i)
      codes[i] =
          static_cast<uint8_t>(nearestLevel(values[16 * group + i], inverse, -centre, centre - 1) + centre);
    storeSixBits(block, group, codes);
  }
}

}  // namespace orthros::gguf
