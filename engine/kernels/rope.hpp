// RoPE and cache write of joined rows of Q, K and V, where the product does not do it (Epilogue::qkv).
// Shaders: rope.comp, and rope_q8.comp for a cache of bytes.
#pragma once

#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/qkv_target.hpp"

namespace orthros::kernels {

struct RopeJob {
  int32_t layer = -1;
  Activations joined;  // [row][Q, K and V]
  Activations q;       // [row][head][headSize]
  uint32_t firstRow = 0;
  uint32_t rows = 0;
  QkvTarget target;
};

class Rope {
 public:
  explicit Rope(std::shared_ptr<KernelLibrary> library) : library_(std::move(library)) {}
  Status record(Dispatcher& work, const RopeJob& job);

 private:
  std::shared_ptr<KernelLibrary> library_;
};

}  // namespace orthros::kernels
