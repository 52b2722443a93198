#include "engine/gguf/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/gguf/block_format.hpp"
#include "engine/gguf/blocks.hpp"

namespace orthros::gguf {

namespace {

struct Range {
  float lowest = 0;
  float highest = 0;
  float extreme = 0;  // the value of largest magnitude, with its sign
};

template <size_t Count>
Range rangeOf(const float (&values)[Count]) {
  Range range{values[0], values[0], values[0]};
  for (const float value : values) {
    range.lowest = std::min(range.lowest, value);
    range.highest = std::max(range.highest, value);
    if (std::abs(value) > std::abs(range.extreme)) range.extreme = value;
  }
  return range;
}

// Codes 0 to 2 * centre - 1 that stand for (code - centre) * scale: the extreme value gets code 0 exactly.
template <class Block>
void packCentred(const float (&values)[32], int centre, Block& block, uint8_t (&codes)[32]) {
  block.scale = finiteHalf(rangeOf(values).extreme / static_cast<float>(-centre));
  const float inverse = inverseOf(halfToFloat(block.scale));
  const auto middle = static_cast<float>(centre);
  for (int i = 0; i < 32; ++i)
    codes[i] = static_cast<uint8_t>(nearestLevel(values[i], inverse, -middle, middle - 1) + middle);
}

// Codes 0 to highest that stand for code * scale + minimum.
template <class Block>
void packAffine(const float (&values)[32], int highest, Block& block, uint8_t (&codes)[32]) {
  const Range range = rangeOf(values);
  block.minimum = finiteHalf(range.lowest);
  const float minimum = halfToFloat(block.minimum);
  block.scale = finiteHalf((range.highest - minimum) / static_cast<float>(highest));
  const float inverse = inverseOf(halfToFloat(block.scale));
  const auto top = static_cast<float>(highest);
  for (int i = 0; i < 32; ++i)
    codes[i] = static_cast<uint8_t>(nearestLevel(values[i] - minimum, inverse, 0.f, top));
}

void storeNibbles(const uint8_t (&codes)[32], uint8_t (&nibbles)[16]) {
  for (int i = 0; i < 16; ++i)
    nibbles[i] = static_cast<uint8_t>((codes[i] & 15) | ((codes[16 + i] & 15) << 4));
}

void storeFifthBits(const uint8_t (&codes)[32], uint8_t (&fifthBits)[4]) {
  std::fill(std::begin(fifthBits), std::end(fifthBits), uint8_t{0});
  for (int i = 0; i < 32; ++i)
    fifthBits[i / 8] = static_cast<uint8_t>(fifthBits[i / 8] | ((codes[i] >> 4) << (i % 8)));
}

void pack(const float (&values)[32], BlockQ4_0& block) {
  uint8_t codes[32];
  packCentred(values, 8, block, codes);
  storeNibbles(codes, block.nibbles);
}

void pack(const float (&values)[32], BlockQ4_1& block) {
  uint8_t codes[32];
  packAffine(values, 15, block, codes);
  storeNibbles(codes, block.nibbles);
}

void pack(const float (&values)[32], BlockQ5_0& block) {
  uint8_t codes[32];
  packCentred(values, 16, block, codes);
  storeNibbles(codes, block.nibbles);
  storeFifthBits(codes, block.fifthBits);
}

void pack(const float (&values)[32], BlockQ5_1& block) {
  uint8_t codes[32];
  packAffine(values, 31, block, codes);
  storeNibbles(codes, block.nibbles);
  storeFifthBits(codes, block.fifthBits);
}

void pack(const float (&values)[32], BlockQ8_0& block) {
  block.scale = finiteHalf(std::abs(rangeOf(values).extreme) / 127.f);
  const float inverse = inverseOf(halfToFloat(block.scale));
  for (int i = 0; i < 32; ++i)
    block.values[i] = static_cast<int8_t>(nearestLevel(values[i], inverse, -127.f, 127.f));
}

template <class Block>
void packAll(std::span<const float> values, std::span<std::byte> blocks) {
  const size_t count = std::min(blocks.size() / sizeof(Block), values.size() / Block::elements);
  for (size_t i = 0; i < count; ++i) {
    float finite[Block::elements];
    for (uint32_t k = 0; k < Block::elements; ++k) {
      const float value = values[i * Block::elements + k];
      finite[k] = std::isfinite(value) ? value : 0.f;
    }
    Block block{};
    pack(finite, block);
    std::memcpy(blocks.data() + i * sizeof(Block), &block, sizeof(Block));
  }
}

template <class Convert>
void packHalves(std::span<const float> values, std::span<std::byte> bytes, Convert convert) {
  const size_t count = std::min(bytes.size() / 2, values.size());
  for (size_t i = 0; i < count; ++i) {
    const uint16_t half = convert(values[i]);
    std::memcpy(bytes.data() + 2 * i, &half, sizeof half);
  }
}

}  // namespace

void quantize(Format format, std::span<const float> values, std::span<std::byte> blocks) {
  switch (format) {
    case Format::f32: {
      const size_t count = std::min(blocks.size() / sizeof(float), values.size());
      if (count > 0) std::memcpy(blocks.data(), values.data(), count * sizeof(float));
      return;
    }
    case Format::f16:
      return packHalves(values, blocks, [](float value) { return floatToHalf(value); });
    case Format::bf16:
      return packHalves(values, blocks, [](float value) { return floatToBfloat(value); });
    case Format::q4_0:
      return packAll<BlockQ4_0>(values, blocks);
    case Format::q4_1:
      return packAll<BlockQ4_1>(values, blocks);
    case Format::q5_0:
      return packAll<BlockQ5_0>(values, blocks);
    case Format::q5_1:
      return packAll<BlockQ5_1>(values, blocks);
    case Format::q8_0:
      return packAll<BlockQ8_0>(values, blocks);
    case Format::q4_k:
      return packAll<BlockQ4_K>(values, blocks);
    case Format::q5_k:
      return packAll<BlockQ5_K>(values, blocks);
    case Format::q6_k:
      return packAll<BlockQ6_K>(values, blocks);
  }
}

std::vector<std::byte> quantize(Format format, std::span<const float> values) {
  std::vector<std::byte> blocks(static_cast<size_t>(formatBytes(format, values.size())));
  quantize(format, values, blocks);
  return blocks;
}

}  // namespace orthros::gguf
