// Cosines and sines of RoPE for any position, in double precision: tables of two factors instead of a call
// each.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/spec.hpp"

namespace orthros::model {

// A position is blockSize * block + offset; the rotation by it is the product of the rotations by both. The
// result depends on the position alone, not on what was asked before.
class RotationAngles {
 public:
  explicit RotationAngles(const RopeSpec& rope);
  uint32_t rotatedPairs() const { return static_cast<uint32_t>(frequencies_.size()); }
  // Writes [rows][pairs] (cos, sin), times the attention scale, of the positions from `firstPosition` on.
  // Pairs that are not rotated get (1, 0).
  void write(uint32_t firstPosition, uint32_t rows, uint32_t pairs, std::span<float> target) const;

 private:
  using Rotation = std::complex<double>;
  static constexpr uint32_t blockSize = 256;
  std::vector<Rotation> rotationsBy(double position, double length) const;

  std::vector<double> frequencies_;  // [rotated pairs] radians per position
  double length_;
  std::vector<Rotation> offsets_;  // [blockSize][rotated pairs]
};

}  // namespace orthros::model
