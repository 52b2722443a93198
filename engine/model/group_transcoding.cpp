#include "engine/model/group_transcoding.hpp"

#include <cstring>

namespace orthros::model {
namespace {

using kernels::AffineGroup;

float halfAt(const std::byte* bytes) {
  uint16_t half;
  std::memcpy(&half, bytes, sizeof half);
  return gguf::halfToFloat(half);
}

// 16 bytes: weight i in the low half of byte i, weight i + 16 in its high half.
void readNibbles(const std::byte* bytes, AffineGroup& group) {
  for (int i = 0; i < 16; ++i) {
    group.q[i] = static_cast<int8_t>(std::to_integer<int>(bytes[i]) & 15);
    group.q[i + 16] = static_cast<int8_t>(std::to_integer<int>(bytes[i]) >> 4);
  }
}

AffineGroup readQ4_0(const std::byte* row, size_t index) {
  const std::byte* block = row + index * 18;
  AffineGroup group;
  group.scale = halfAt(block);
  group.minimum = -8.f * group.scale;
  readNibbles(block + 2, group);
  return group;
}

AffineGroup readQ4_1(const std::byte* row, size_t index) {
  const std::byte* block = row + index * 20;
  AffineGroup group;
  group.scale = halfAt(block);
  group.minimum = halfAt(block + 2);
  readNibbles(block + 4, group);
  return group;
}

AffineGroup readQ5_0(const std::byte* row, size_t index) {
  const std::byte* block = row + index * 22;
  AffineGroup group;
  group.scale = halfAt(block);
  uint32_t high;
  std::memcpy(&high, block + 2, sizeof high);
  readNibbles(block + 6, group);
  for (int i = 0; i < 32; ++i) group.q[i] = static_cast<int8_t>((group.q[i] | ((high >> i & 1) << 4)) - 16);
  return group;
}

AffineGroup readQ8_0(const std::byte* row, size_t index) {
  const std::byte* block = row + index * 34;
  AffineGroup group;
  group.scale = halfAt(block);
  std::memcpy(group.q, block + 2, 32);
  return group;
}

// Six-bit scales and minimums of the eight groups of a super-block, packed in 12 bytes.
struct ScaleMinimum {
  int scale, minimum;
};
ScaleMinimum sixBitPair(const std::byte* packed, int index) {
  const auto at = [&](int i) { return std::to_integer<int>(packed[i]); };
  if (index < 4) return {at(index) & 63, at(index + 4) & 63};
  return {(at(index + 4) & 15) | (at(index - 4) >> 6) << 4, (at(index + 4) >> 4) | (at(index) >> 6) << 4};
}

AffineGroup readQ4_K(const std::byte* row, size_t index) {
  const std::byte* block = row + index / 8 * 144;
  const int inBlock = static_cast<int>(index % 8);
  const ScaleMinimum pair = sixBitPair(block + 4, inBlock);
  AffineGroup group;
  group.scale = halfAt(block) * static_cast<float>(pair.scale);
  group.minimum = -halfAt(block + 2) * static_cast<float>(pair.minimum);
  const std::byte* nibbles = block + 16 + inBlock / 2 * 32;
  for (int i = 0; i < 32; ++i)
    group.q[i] = static_cast<int8_t>(std::to_integer<int>(nibbles[i]) >> (inBlock % 2 * 4) & 15);
  return group;
}

}  // namespace

GroupReader exactGroupReader(gguf::Format file, kernels::DeviceFormat device) {
  using gguf::Format;
  if (device == kernels::DeviceFormat::q4) {
    if (file == Format::q4_0) return readQ4_0;
    if (file == Format::q4_1) return readQ4_1;
    if (file == Format::q4_k) return readQ4_K;
  }
  if (device == kernels::DeviceFormat::q8) {
    if (file == Format::q5_0) return readQ5_0;
    if (file == Format::q8_0) return readQ8_0;
  }
  return nullptr;
}

}  // namespace orthros::model
