// The likeliest token after each row, chosen on the device: what a greedy sampler would take. Shader:
// argmax.comp.
#pragma once

#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"

namespace orthros::kernels {

struct ArgmaxJob {
  Activations logits;                  // [rows], f32, from the first row of the buffer on
  uint32_t rows = 1;                   // up to Argmax::maxRows
  uint32_t count = 0;                  // logits of a row
  vulkan::Buffer* scratch = nullptr;   // Argmax::scratchBytes
  vulkan::Buffer* arrivals = nullptr;  // [rows] u32 that hold 0 between jobs
  vulkan::Buffer* tokens = nullptr;    // u32
  uint32_t target = 0;  // which of the tokens is the first row's; Argmax::none where no logit is finite
};

class Argmax {
 public:
  static constexpr const char* operation = "argmax";
  static constexpr uint32_t none = ~0u;
  static constexpr uint32_t maxWorkgroups = 128;
  static constexpr uint32_t maxRows = 8;
  static constexpr uint64_t scratchBytes = uint64_t{maxRows} * maxWorkgroups * 8;

  explicit Argmax(std::shared_ptr<KernelLibrary> library) : library_(std::move(library)) {}
  Status prepare();
  Status record(Dispatcher& work, const ArgmaxJob& job);

 private:
  Result<std::shared_ptr<vulkan::Pipeline>> pipeline();

  std::shared_ptr<KernelLibrary> library_;
};

}  // namespace orthros::kernels
