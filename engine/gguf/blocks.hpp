// The block layouts of quantised formats, field by field as in the file. Source: ggml's block structures.
#pragma once

#include <cstdint>

#include "engine/gguf/block_format.hpp"

namespace orthros::gguf {

// x = scale * (q - 8); the low nibbles hold elements 0 to 15, the high ones 16 to 31.
struct BlockQ4_0 {
  static constexpr Format format = Format::q4_0;
  static constexpr uint32_t elements = 32;
  uint16_t scale;
  uint8_t nibbles[16];
};

// x = scale * q + minimum.
struct BlockQ4_1 {
  static constexpr Format format = Format::q4_1;
  static constexpr uint32_t elements = 32;
  uint16_t scale;
  uint16_t minimum;
  uint8_t nibbles[16];
};

// x = scale * (q - 16); bit i of fifthBits is the highest bit of element i.
struct BlockQ5_0 {
  static constexpr Format format = Format::q5_0;
  static constexpr uint32_t elements = 32;
  uint16_t scale;
  uint8_t fifthBits[4];
  uint8_t nibbles[16];
};

// x = scale * q + minimum.
struct BlockQ5_1 {
  static constexpr Format format = Format::q5_1;
  static constexpr uint32_t elements = 32;
  uint16_t scale;
  uint16_t minimum;
  uint8_t fifthBits[4];
  uint8_t nibbles[16];
};

// x = scale * q.
struct BlockQ8_0 {
  static constexpr Format format = Format::q8_0;
  static constexpr uint32_t elements = 32;
  uint16_t scale;
  int8_t values[32];
};

// Eight groups of 32 with 6-bit scales s and minimums m: x = (scale * s) * q - minimum * m. `packed` holds s
// and m, see unpackGroup. Each 32 bytes of nibbles hold two groups, the first in the low nibbles.
struct BlockQ4_K {
  static constexpr Format format = Format::q4_k;
  static constexpr uint32_t elements = 256;
  uint16_t scale;
  uint16_t minimum;
  uint8_t packed[12];
  uint8_t nibbles[128];
};

// As Q4_K; bit g of fifthBits[i] is the highest bit of element i of group g.
struct BlockQ5_K {
  static constexpr Format format = Format::q5_k;
  static constexpr uint32_t elements = 256;
  uint16_t scale;
  uint16_t minimum;
  uint8_t packed[12];
  uint8_t fifthBits[32];
  uint8_t nibbles[128];
};

// Sixteen groups of 16: x = (scale * scales[group]) * (q - 32). Each half of 128 elements has 64 bytes of low
// nibbles and 32 bytes of upper bit pairs: element 32 k + i (k = 0..3, i = 0..31) has its nibble in byte 32
// (k & 1) + i (high nibble for k >= 2) and its pair at bits 2 k of byte i.
struct BlockQ6_K {
  static constexpr Format format = Format::q6_k;
  static constexpr uint32_t elements = 256;
  uint8_t nibbles[128];
  uint8_t upperBits[64];
  int8_t scales[16];
  uint16_t scale;
};

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22);
static_assert(sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34 && sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

struct GroupScale {
  uint8_t scale;    // 6 bits
  uint8_t minimum;  // 6 bits
};

// Group g of the eight in `packed`: groups 0 to 3 lie in the lower 6 bits of bytes g and g + 4, the others in
// the nibbles of byte g + 4 with their two upper bits in the tops of bytes g - 4 and g.
inline GroupScale unpackGroup(const uint8_t (&packed)[12], int group) {
  if (group < 4)
    return {static_cast<uint8_t>(packed[group] & 63), static_cast<uint8_t>(packed[group + 4] & 63)};
  return {static_cast<uint8_t>((packed[group + 4] & 15) | ((packed[group - 4] >> 6) << 4)),
          static_cast<uint8_t>((packed[group + 4] >> 4) | ((packed[group] >> 6) << 4))};
}

// The inverse; `packed` starts as zeros and groups come in ascending order.
inline void packGroup(uint8_t (&packed)[12], int group, GroupScale value) {
  if (group < 4) {
    packed[group] = value.scale;
    packed[group + 4] = value.minimum;
    return;
  }
  packed[group + 4] = static_cast<uint8_t>((value.scale & 15) | ((value.minimum & 15) << 4));
  packed[group - 4] = static_cast<uint8_t>(packed[group - 4] | ((value.scale >> 4) << 6));
  packed[group] = static_cast<uint8_t>(packed[group] | ((value.minimum >> 4) << 6));
}

}  // namespace orthros::gguf
