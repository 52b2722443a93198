#include <algorithm>
#include <cstring>

#include "engine/gguf/block_format.hpp"
#include "engine/gguf/blocks.hpp"

namespace orthros::gguf {
namespace {

// The inner loops below are written for auto-vectorisation: fixed trip counts, no branches, one output
// stream.

void expand(const BlockQ4_0& block, float* __restrict out) {
  const float scale = halfToFloat(block.scale);
  for (int i = 0; i < 16; ++i) out[i] = static_cast<float>((block.nibbles[i] & 15) - 8) * scale;
  for (int i = 0; i < 16; ++i) out[16 + i] = static_cast<float>((block.nibbles[i] >> 4) - 8) * scale;
}

void expand(const BlockQ4_1& block, float* __restrict out) {
  const float scale = halfToFloat(block.scale), minimum = halfToFloat(block.minimum);
  for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(block.nibbles[i] & 15) * scale + minimum;
  for (int i = 0; i < 16; ++i) out[16 + i] = static_cast<float>(block.nibbles[i] >> 4) * scale + minimum;
}

// The 5-bit codes of a block of 32.
void gatherFiveBits(const uint8_t (&nibbles)[16], const uint8_t (&fifthBits)[4], uint8_t* __restrict codes) {
  static constexpr uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  for (int i = 0; i < 16; ++i) codes[i] = nibbles[i] & 15;
  for (int i = 0; i < 16; ++i) codes[16 + i] = nibbles[i] >> 4;
  for (int byte = 0; byte < 4; ++byte) {
    for (int i = 0; i < 8; ++i) codes[8 * byte + i] |= (fifthBits[byte] & bit[i]) != 0 ? 16 : 0;
  }
}

void expand(const BlockQ5_0& block, float* __restrict out) {
  uint8_t codes[32];
  gatherFiveBits(block.nibbles, block.fifthBits, codes);
  const float scale = halfToFloat(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(codes[i] - 16) * scale;
}

void expand(const BlockQ5_1& block, float* __restrict out) {
  uint8_t codes[32];
  gatherFiveBits(block.nibbles, block.fifthBits, codes);
  const float scale = halfToFloat(block.scale), minimum = halfToFloat(block.minimum);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(codes[i]) * scale + minimum;
}

void expand(const BlockQ8_0& block, float* __restrict out) {
  const float scale = halfToFloat(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(block.values[i]) * scale;
}

void expand(const BlockQ4_K& block, float* __restrict out) {
  const float scale = halfToFloat(block.scale), minimum = halfToFloat(block.minimum);
  for (int group = 0; group < 8; ++group) {
    const GroupScale packed = unpackGroup(block.packed, group);
    const float groupScale = scale * static_cast<float>(packed.scale);
    const float groupMinimum = minimum * static_cast<float>(packed.minimum);
    const uint8_t* nibbles = block.nibbles + 32 * (group / 2);
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i)
      out[32 * group + i] = groupScale * static_cast<float>((nibbles[i] >> shift) & 15) - groupMinimum;
  }
}

void expand(const BlockQ5_K& block, float* __restrict out) {
  const float scale = halfToFloat(block.scale), minimum = halfToFloat(block.minimum);
  for (int group = 0; group < 8; ++group) {
    const GroupScale packed = unpackGroup(block.packed, group);
    const float groupScale = scale * static_cast<float>(packed.scale);
    const float groupMinimum = minimum * static_cast<float>(packed.minimum);
    const uint8_t* nibbles = block.nibbles + 32 * (group / 2);
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i) {
      const int code = ((nibbles[i] >> shift) & 15) | (((block.fifthBits[i] >> group) & 1) << 4);
      out[32 * group + i] = groupScale * static_cast<float>(code) - groupMinimum;
    }
  }
}

void expand(const BlockQ6_K& block, float* __restrict out) {
  const float scale = halfToFloat(block.scale);
  for (int group = 0; group < 16; ++group) {
    const int half = group / 8, part = group % 8 / 2, first = group % 2 * 16;
    const uint8_t* nibbles = block.nibbles + 64 * half + 32 * (part & 1) + first;
    const uint8_t* upper = block.upperBits + 32 * half + first;
    const int nibbleShift = part / 2 * 4, upperShift = 2 * part;
    const float groupScale = scale * static_cast<float>(block.scales[group]);
    for (int i = 0; i < 16; ++i) {
      const int code = ((nibbles[i] >> nibbleShift) & 15) | (((upper[i] >> upperShift) & 3) << 4);
      out[16 * group + i] = groupScale * static_cast<float>(code - 32);
    }
  }
}

template <class Block>
void expandAll(std::span<const std::byte> blocks, std::span<float> values) {
  const size_t count = std::min(blocks.size() / sizeof(Block), values.size() / Block::elements);
  for (size_t i = 0; i < count; ++i) {
    Block block;  // a copy: a mapping need not be aligned
    std::memcpy(&block, blocks.data() + i * sizeof(Block), sizeof(Block));
    expand(block, values.data() + i * Block::elements);
  }
}

template <class Convert>
void expandHalves(std::span<const std::byte> bytes, std::span<float> values, Convert convert) {
  constexpr size_t piece = 64;
  const size_t count = std::min(bytes.size() / 2, values.size());
  uint16_t halves[piece];
  for (size_t begin = 0; begin < count; begin += piece) {
    const size_t size = std::min(piece, count - begin);
    std::memcpy(halves, bytes.data() + 2 * begin, 2 * size);
    float* __restrict out = values.data() + begin;
    for (size_t i = 0; i < size; ++i) out[i] = convert(halves[i]);
  }
}

}  // namespace

void dequantize(Format format, std::span<const std::byte> blocks, std::span<float> values) {
  switch (format) {
    case Format::f32: {
      const size_t count = std::min(blocks.size() / sizeof(float), values.size());
      if (count > 0) std::memcpy(values.data(), blocks.data(), count * sizeof(float));
      return;
    }
    case Format::f16:
      return expandHalves(blocks, values, [](uint16_t half) { return halfToFloat(half); });
    case Format::bf16:
      return expandHalves(blocks, values, [](uint16_t half) { return bfloatToFloat(half); });
    case Format::q4_0:
      return expandAll<BlockQ4_0>(blocks, values);
    case Format::q4_1:
      return expandAll<BlockQ4_1>(blocks, values);
    case Format::q5_0:
      return expandAll<BlockQ5_0>(blocks, values);
    case Format::q5_1:
      return expandAll<BlockQ5_1>(blocks, values);
    case Format::q8_0:
      return expandAll<BlockQ8_0>(blocks, values);
    case Format::q4_k:
      return expandAll<BlockQ4_K>(blocks, values);
    case Format::q5_k:
      return expandAll<BlockQ5_K>(blocks, values);
    case Format::q6_k:
      return expandAll<BlockQ6_K>(blocks, values);
  }
}

}  // namespace orthros::gguf
