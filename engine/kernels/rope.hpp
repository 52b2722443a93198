// RoPE and cache write of many joined rows of Q, K and V. Shader: rope.comp. For few rows the matrix-vector
// kernels do it (Epilogue::qkv).
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
