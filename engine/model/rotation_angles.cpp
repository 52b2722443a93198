#include "engine/model/rotation_angles.hpp"

namespace orthros::model {

RotationAngles::RotationAngles(const RopeSpec& rope)
    : frequencies_(rope.frequencies()), length_(rope.attentionScale) {
  for (uint32_t offset = 0; offset < blockSize; ++offset) {
    const auto rotations = rotationsBy(offset, 1.0);
    offsets_.insert(offsets_.end(), rotations.begin(), rotations.end());
  }
}

std::vector<RotationAngles::Rotation> RotationAngles::rotationsBy(double position, double length) const {
  std::vector<Rotation> rotations;
  for (const double frequency : frequencies_) rotations.push_back(std::polar(length, position * frequency));
  return rotations;
}

void RotationAngles::write(uint32_t firstPosition, uint32_t rows, uint32_t pairs,
                           std::span<float> target) const {
  const uint32_t rotated = rotatedPairs();
  std::vector<Rotation> block;
  float* out = target.data();
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t position = firstPosition + row, offset = position % blockSize;
    if (row == 0 || offset == 0) block = rotationsBy(position - offset, length_);
    const Rotation* const byOffset = &offsets_[size_t{offset} * rotated];
    for (uint32_t pair = 0; pair < rotated; ++pair) {
      // Written out: the operator of std::complex looks for infinities.
      const double re =
          block[pair].real() * byOffset[pair].real() - block[pair].imag() * byOffset[pair].imag();
      const double im =
          block[pair].real() * byOffset[pair].imag() + block[pair].imag() * byOffset[pair].real();
      *out++ = static_cast<float>(re);
      *out++ = static_cast<float>(im);
    }
    for (uint32_t pair = rotated; pair < pairs; ++pair) {
      *out++ = 1.f;
      *out++ = 0.f;
    }
  }
}

}  // namespace orthros::model
