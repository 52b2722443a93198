// Embedding look-up. Shader: embed.comp.
#pragma once

#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"
#include "shaders/interface/rows.glsl"

namespace orthros::kernels {

struct EmbedJob {
  vulkan::Buffer* tokens = nullptr;  // u32 [row]
  uint32_t firstRow = 0;             // in tokens and y
  uint32_t rows = 0;
  Matrix embedding;  // columns: vocabulary, inner: width
  Activations y;
};

class Embed {
 public:
  explicit Embed(std::shared_ptr<KernelLibrary> library) : library_(std::move(library)) {}
  Status record(Dispatcher& work, const EmbedJob& job);

 private:
  std::shared_ptr<KernelLibrary> library_;
};

}  // namespace orthros::kernels
