// What kernels read and write: regions of device buffers with their shapes.
#pragma once

#include <cstdint>

#include "engine/kernels/device_format.hpp"
#include "engine/vulkan/command_recorder.hpp"

namespace orthros::kernels {

// Halves are what products on cooperative matrices read.
enum class ActivationFormat : uint8_t { f32, f16 };

// [row][stride], rows padded to ROW_PADDING, stride a multiple of 32; values beyond the true width are 0.
struct Activations {
  vulkan::Buffer* buffer = nullptr;
  uint32_t stride = 0;
  ActivationFormat format = ActivationFormat::f32;

  // The same rows in another format: buffers have room for f32.
  Activations as(ActivationFormat other) const { return {buffer, stride, other}; }
  uint64_t valueBytes() const { return format == ActivationFormat::f16 ? 2 : 4; }
  VkFormat texel() const {
    return format == ActivationFormat::f16 ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_R32G32B32A32_SFLOAT;
  }
  vulkan::Binding binding(vulkan::Access access) const { return binding(access, texel()); }
  vulkan::Binding binding(vulkan::Access access, VkFormat view) const {
    return {buffer, 0, vulkan::wholeRange, view, access};
  }
};
// "" or the suffix of the shaders that store halves.
inline const char* outputSuffix(ActivationFormat format) {
  return format == ActivationFormat::f16 ? "_y16" : "";
}

// A weight matrix in the layout of shaders/interface/layout.glsl: product[column] = sum over inner.
struct Matrix {
  vulkan::Buffer* buffer = nullptr;
  uint64_t weightsOffset = 0;
  uint64_t scalesOffset = 0;  // unused without scales
  DeviceFormat format = DeviceFormat::f32;
  uint32_t columns = 0;         // padded to 32
  uint32_t inner = 0;           // padded to 32
  uint32_t logicalColumns = 0;  // as the model has them
  uint32_t logicalInner = 0;

  uint64_t bytes() const { return weightBytes(format, columns, inner) + scaleBytes(format, columns, inner); }
};

// A norm's gain, [stride] f32, 0 beyond the width.
struct Vector {
  vulkan::Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint32_t stride = 0;

  vulkan::Binding binding() const {
    return {buffer, offset, uint64_t{stride} * 4, VK_FORMAT_R32G32B32A32_SFLOAT, vulkan::Access::read};
  }
};

enum class KvFormat : uint8_t { f16, f32, q8 };

// Bytes of a value, and of the factor that all values of a head's row share.
constexpr uint64_t kvValueBytes(KvFormat format) {
  return format == KvFormat::f32 ? 4 : format == KvFormat::f16 ? 2 : 1;
}
constexpr uint64_t kvFactorBytes(KvFormat format) {
  return format == KvFormat::q8 ? 4 : 0;
}
constexpr uint64_t kvHeadRowBytes(KvFormat format, uint32_t headSize) {
  return kvValueBytes(format) * headSize + kvFactorBytes(format);
}

// Keys and values of one layer, [kv head][capacity][headSize]; behind them their factors, [kv head][capacity]
// f32, where there are any.
struct KvLayer {
  vulkan::Buffer* keys = nullptr;
  vulkan::Buffer* values = nullptr;
  KvFormat format = KvFormat::f16;
  uint32_t capacity = 0;  // rows per head, a multiple of 32
};

// Which keys the rows of a batch read, written by engine/phase: see shaders/interface/attention.glsl.
struct RowTables {
  vulkan::Buffer* rows = nullptr;    // uvec4 [class][row]
  vulkan::Buffer* tiles = nullptr;   // uvec4 [class][tile]
  vulkan::Buffer* angles = nullptr;  // vec4 [row][headSize / 4]

  static vulkan::Binding table(vulkan::Buffer* buffer) {
    return {buffer, 0, vulkan::wholeRange, VK_FORMAT_R32G32B32A32_UINT, vulkan::Access::read};
  }
};

// The heads of an attention layer as the device stores them.
struct HeadShape {
  uint32_t heads = 0;
  uint32_t kvHeads = 0;
  uint32_t headSize = 0;         // padded to a multiple of 16
  uint32_t logicalHeadSize = 0;  // as the model has it

  uint32_t group() const { return heads / kvHeads; }
};

}  // namespace orthros::kernels
