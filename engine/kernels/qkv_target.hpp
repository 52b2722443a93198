// Where the joined rows of Q, K and V go: the cache of a layer, and the tables that say at which row and
// angle. Shader side: shaders/qkv_store.glsl.
#pragma once

#include <vector>

#include "engine/kernels/tensors.hpp"
#include "shaders/interface/projection.glsl"

namespace orthros::kernels {

struct QkvTarget {
  KvLayer cache;
  RowTables tables;
  uint32_t intervals = 0;  // first entry of the layer's class in tables.rows
  HeadShape heads;

  // Adds bindings 4 to 7.
  void appendBindings(std::vector<vulkan::Binding>& bindings) const;
  void fill(interface::ProjectionPush& push) const;
  // Bytes of K and V of `rows` rows, without padding.
  uint64_t cacheBytes(uint32_t rows) const;
};

// The suffix of the shaders for a cache of this format.
const char* kvSuffix(KvFormat format);

}  // namespace orthros::kernels
