#include "engine/model/device_shape.hpp"

#include "engine/base/checked.hpp"

namespace orthros::model {
namespace {

// Texels hold 8 halves and pairs of texels 16: heads of a multiple of 16, unless the row of all heads then
// breaks a tile.
uint32_t paddedHeadSize(const ModelSpec& spec) {
  const uint32_t size = roundUp(spec.headSize, 16u);
  return spec.heads * size % DeviceShape::tile == 0 ? size : roundUp(spec.headSize, DeviceShape::tile);
}

}  // namespace

DeviceShape DeviceShape::of(const ModelSpec& spec) {
  DeviceShape shape;
  shape.heads = {spec.heads, spec.kvHeads, paddedHeadSize(spec), spec.headSize};
  shape.width = roundUp(spec.width, tile);
  shape.attention = spec.heads * shape.heads.headSize;
  shape.qkv = roundUp((spec.heads + 2 * spec.kvHeads) * shape.heads.headSize, tile);
  shape.feedForward = roundUp(spec.feedForward, tile);
  shape.vocabulary = roundUp(spec.vocabulary, tile);
  return shape;
}

uint32_t defaultBatchRows(kernels::Flavour flavour, const DeviceShape& shape) {
  switch (flavour) {
    case kernels::Flavour::cpuLanes8:
      return 256;
    case kernels::Flavour::portable:
    case kernels::Flavour::subgroups:
      return 512;
    case kernels::Flavour::cooperative:
      break;
  }
  constexpr uint64_t workspaceBytes = 512ull << 20;
  uint32_t rows = 4096;
  while (rows > 512 && rows * shape.workspaceValues() * 4 > workspaceBytes) rows /= 2;
  return rows;
}

}  // namespace orthros::model
