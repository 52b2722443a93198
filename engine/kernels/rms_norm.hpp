// RMS norm of many rows. Shaders: rms_norm.comp, and rms_norm_subgroup.comp beside cooperative matrices. Few
// rows are normed by the matrix-vector kernels as they read.
#pragma once

#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"
#include "shaders/interface/rows.glsl"

namespace orthros::kernels {

struct RmsNormJob {
  int32_t layer = -1;
  Activations x, y;  // the same stride
  uint32_t rows = 0;
  uint32_t xRow = 0, yRow = 0;
  Vector gain;
  uint32_t width = 0;
  float epsilon = 0.f;
};

class RmsNorm {
 public:
  explicit RmsNorm(std::shared_ptr<KernelLibrary> library) : library_(std::move(library)) {}
  Status record(Dispatcher& work, const RmsNormJob& job);

 private:
  Result<std::shared_ptr<vulkan::Pipeline>> pipeline(ActivationFormat format);

  std::shared_ptr<KernelLibrary> library_;
};

}  // namespace orthros::kernels
