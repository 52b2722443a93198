// A model's shape as the device stores it: rows and heads padded so that every kernel works on whole tiles.
#pragma once

#include <cstdint>

#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"
#include "engine/model/spec.hpp"

namespace orthros::model {

// Padding holds zeros in weights and activations, so it never changes a result.
struct DeviceShape {
  static constexpr uint32_t tile = 32;  // values; every padded size is a multiple

  kernels::HeadShape heads;
  uint32_t width = 0;        // residual stream, padded to 32
  uint32_t attention = 0;    // heads * padded head size, a multiple of 32
  uint32_t qkv = 0;          // columns of the joined Q, K and V matrix, padded to 32
  uint32_t feedForward = 0;  // padded to 32
  uint32_t vocabulary = 0;   // padded to 32

  static DeviceShape of(const ModelSpec& spec);
  // Values that one row takes in the workspace of a batch.
  uint64_t workspaceValues() const { return 2ull * width + qkv + 2ull * attention + feedForward; }
};

// Rows per batch where nothing else is asked: as many as keep the device busy, within half a gigabyte of
// workspace.
uint32_t defaultBatchRows(kernels::Flavour flavour, const DeviceShape& shape);

}  // namespace orthros::model
