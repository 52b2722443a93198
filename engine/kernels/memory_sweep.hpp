// Memory traffic and nothing else: the scale against which other kernels are measured. Shader:
// memory_sweep.comp.
#pragma once

#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"

namespace orthros::kernels {

struct MemorySweepJob {
  vulkan::Buffer* source = nullptr;
  // With `copies` as large as the source and a copy of it afterwards; else at least MemorySweep::resultBytes,
  // and the XOR of its texels is that of the source's.
  vulkan::Buffer* target = nullptr;
  uint64_t bytes = 0;  // of the source, whole texels of 16 bytes
  bool copies = false;
};

class MemorySweep {
 public:
  static constexpr uint64_t texelBytes = 16;
  static constexpr uint32_t workgroups = 4096, threads = 256;
  static constexpr uint64_t resultBytes = texelBytes * workgroups * threads;

  explicit MemorySweep(std::shared_ptr<KernelLibrary> library) : library_(std::move(library)) {}
  Status record(Dispatcher& work, const MemorySweepJob& job);

 private:
  std::shared_ptr<KernelLibrary> library_;
};

}  // namespace orthros::kernels
