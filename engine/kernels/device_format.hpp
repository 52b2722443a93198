// The formats that weights have on a device. Many file formats are repacked into these few at load.
// Layout: shaders/interface/layout.glsl, which this header shares with the shaders.
#pragma once

#include <cstdint>

#include "shaders/interface/layout.glsl"

namespace orthros::kernels {

enum class DeviceFormat : uint32_t {
  f32 = FORMAT_F32,
  f16 = FORMAT_F16,
  q8 = FORMAT_Q8,  // 8-bit symmetric, f32 scale per 32 weights
  q4 = FORMAT_Q4,  // 4-bit affine, f16 scale and minimum per 32 weights
};
inline constexpr DeviceFormat allDeviceFormats[] = {DeviceFormat::f32, DeviceFormat::f16, DeviceFormat::q8,
                                                    DeviceFormat::q4};

const char* deviceFormatName(DeviceFormat format);

// Weights in 16 bytes of a panel.
uint32_t weightsPerChunk(DeviceFormat format);
bool hasScales(DeviceFormat format);

// Bytes of a matrix of `columns` x `inner` (both multiples of 32), without and of its scales.
uint64_t weightBytes(DeviceFormat format, uint32_t columns, uint32_t inner);
uint64_t scaleBytes(DeviceFormat format, uint32_t columns, uint32_t inner);

}  // namespace orthros::kernels
