// Writing weights into the panels of shaders/interface/layout.glsl, on the host. The twin of
// shaders/weights.glsl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/kernels/device_format.hpp"

namespace orthros::kernels {

// 32 neighbouring weights of one output as integers: weight i is q[i] * scale + minimum.
struct AffineGroup {
  float scale = 0.f;
  float minimum = 0.f;  // 0 where the target is 8-bit
  int8_t q[SCALE_GROUP] = {};
};

// One panel of 32 outputs over `inner` inputs, a multiple of 32. `weights` has weightBytes(format, 32, inner)
// bytes, `scales` scaleBytes(...); both must be zero at first: what is not written stays a zero weight.
class PanelWriter {
 public:
  PanelWriter(DeviceFormat format, uint32_t inner, std::span<std::byte> weights, std::span<std::byte> scales)
      : format_(format), inner_(inner), weights_(weights), scales_(scales) {}

  // The weights of output `column` (0..31), values.size() <= inner: rounded to nearest in the format.
  void putColumn(uint32_t column, std::span<const float> values) const;
  // Group `group` of output `column`, exactly. Format q8: q in -127..127 or -128; q4: q in 0..15.
  void putGroup(uint32_t column, uint32_t group, const AffineGroup& values) const;
  // The values that the packed weights of a column stand for.
  void readColumn(uint32_t column, std::span<float> values) const;

 private:
  std::byte* chunk(uint32_t column, uint32_t index) const;
  uint32_t* scale(uint32_t column, uint32_t group) const;

  DeviceFormat format_;
  uint32_t inner_;
  std::span<std::byte> weights_;
  std::span<std::byte> scales_;
};

// The nearest group for 32 values (fewer: the rest counts as 0 for q8 and is never read for q4).
AffineGroup quantiseGroup(DeviceFormat format, std::span<const float> values);

}  // namespace orthros::kernels
