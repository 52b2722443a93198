// 16-bit floating point, branch-free so that loops over them vectorise; no hardware support is assumed.
#pragma once

#include <bit>
#include <cstdint>

namespace orthros::gguf {

inline float halfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  const uint32_t isSubnormal = 0u - static_cast<uint32_t>(magnitude < 0x400u);
  const uint32_t isNotFinite = 0u - static_cast<uint32_t>(magnitude >= 0x7c00u);
  // Rebias the exponent; infinities and NaNs take the largest one.
  const uint32_t rebias = 112u << 23;
  const uint32_t normal = (magnitude << 13) + rebias + (rebias & isNotFinite);
  // 0.5 + magnitude * 2^-24 holds a subnormal's value exactly in its lowest bits. (Normal halves take part
  // with their lowest bits and are masked out: the bit pattern stays a number below 1.)
  const float subnormal = std::bit_cast<float>((magnitude & 0x3ffu) | 0x3f000000u) - 0.5f;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(subnormal) & isSubnormal) | (normal & ~isSubnormal) |
                              sign);
}

// Rounds to nearest even; overflow to infinity; a NaN stays a NaN.
inline uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and above
  if (magnitude < 0x38800000u) {                                               // below 2^-14: subnormal
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;              // the addition rounds at 2^-24
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

inline float bfloatToFloat(uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<uint32_t>(bfloat) << 16);
}

// Rounds to nearest even; a NaN stays a NaN.
inline uint16_t floatToBfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace orthros::gguf
