#include "engine/kernels/packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/gguf/block_format.hpp"

namespace orthros::kernels {
namespace {

uint32_t floatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float bitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

AffineGroup quantiseSymmetric(std::span<const float> values) {
  AffineGroup group;
  float largest = 0.f;
  for (const float v : values) largest = std::max(largest, std::fabs(v));
  if (largest == 0.f) return group;
  group.scale = largest / 127.f;
  const float inverse = 127.f / largest;
  for (size_t i = 0; i < values.size(); ++i)
    group.q[i] = static_cast<int8_t>(std::lrintf(std::clamp(values[i] * inverse, -127.f, 127.f)));
  return group;
}

AffineGroup quantiseAffine(std::span<const float> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  AffineGroup group;
  // The stored halves, so that the rounding below sees what the shader will.
  group.minimum = gguf::halfToFloat(gguf::floatToHalf(*low));
  group.scale = gguf::halfToFloat(gguf::floatToHalf((*high - *low) / 15.f));
  if (group.scale == 0.f) return group;
  for (size_t i = 0; i < values.size(); ++i)
    group.q[i] =
        static_cast<int8_t>(std::clamp(std::lrintf((values[i] - group.minimum) / group.scale), 0l, 15l));
  return group;
}

}  // namespace

AffineGroup quantiseGroup(DeviceFormat format, std::span<const float> values) {
  return format == DeviceFormat::q8 ? quantiseSymmetric(values) : quantiseAffine(values);
}

std::byte* PanelWriter::chunk(uint32_t column, uint32_t index) const {
  const uint32_t lane = column / PANEL_BLOCKS, block = column % PANEL_BLOCKS;
  return weights_.data() + ((size_t{index} * PANEL_BLOCKS + block) * PANEL_LANES + lane) * 16;
}

uint32_t* PanelWriter::scale(uint32_t column, uint32_t group) const {
  auto* scales = reinterpret_cast<uint32_t*>(scales_.data());
  return scales + size_t{group} * PANEL_COLUMNS + column;
}

void PanelWriter::putGroup(uint32_t column, uint32_t group, const AffineGroup& values) const {
  if (format_ == DeviceFormat::q8) {
    for (uint32_t half = 0; half < 2; ++half) {
      std::byte* target = chunk(column, group * 2 + half);
      for (uint32_t i = 0; i < 16; ++i) target[i] = static_cast<std::byte>(values.q[half * 16 + i] + 128);
    }
    *scale(column, group) = floatBits(values.scale);
    return;
  }
  std::byte* target = chunk(column, group);
  for (uint32_t i = 0; i < 16; ++i)
    target[i] = static_cast<std::byte>(values.q[2 * i] | values.q[2 * i + 1] << 4);
  *scale(column, group) = gguf::floatToHalf(values.scale) | uint32_t{gguf::floatToHalf(values.minimum)} << 16;
}

void PanelWriter::putColumn(uint32_t column, std::span<const float> values) const {
  if (hasScales(format_)) {
    for (uint32_t group = 0; group * SCALE_GROUP < values.size(); ++group) {
      const size_t first = size_t{group} * SCALE_GROUP;
      putGroup(column, group,
               quantiseGroup(format_,
                             values.subspan(first, std::min<size_t>(SCALE_GROUP, values.size() - first))));
    }
    return;
  }
  const uint32_t perChunk = weightsPerChunk(format_);
  for (size_t i = 0; i < values.size(); ++i) {
    std::byte* target = chunk(column, static_cast<uint32_t>(i / perChunk));
    if (format_ == DeviceFormat::f32) {
      std::memcpy(target + i % perChunk * 4, &values[i], 4);
    } else {
      const uint16_t half = gguf::floatToHalf(values[i]);
      std::memcpy(target + i % perChunk * 2, &half, 2);
    }
  }
}

void PanelWriter::readColumn(uint32_t column, std::span<float> values) const {
  const uint32_t perChunk = weightsPerChunk(format_);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::byte* source = chunk(column, static_cast<uint32_t>(i / perChunk));
    const uint32_t at = static_cast<uint32_t>(i) % perChunk;
    const uint32_t bits = hasScales(format_) ? *scale(column, static_cast<uint32_t>(i) / SCALE_GROUP) : 0;
    if (format_ == DeviceFormat::f32) {
      std::memcpy(&values[i], source + at * 4, 4);
    } else if (format_ == DeviceFormat::f16) {
      uint16_t half;
      std::memcpy(&half, source + at * 2, 2);
      values[i] = gguf::halfToFloat(half);
    } else if (format_ == DeviceFormat::q8) {
      values[i] = static_cast<float>(std::to_integer<int>(source[at]) - 128) * bitsToFloat(bits);
    } else {
      const int q = std::to_integer<int>(source[at / 2]) >> (at % 2 * 4) & 15;
      values[i] = static_cast<float>(q) * gguf::halfToFloat(static_cast<uint16_t>(bits & 0xffff)) +
                  gguf::halfToFloat(static_cast<uint16_t>(bits >> 16));
    }
  }
}

}  // namespace orthros::kernels
