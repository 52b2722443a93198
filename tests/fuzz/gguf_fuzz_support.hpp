// Shared by the fuzz targets of GGUF readers: inputs begin as whole, valid files, so that no corpus has to be
// kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

namespace orthros::fuzz {

// Puts a seed in the place of an input that is too short to hold a header, and otherwise lets libFuzzer
// mutate. Every 64th call begins anew with a seed.
inline size_t mutateFromSeeds(const std::vector<std::vector<std::byte>>& seeds, uint8_t* data, size_t size,
                              size_t maxSize, unsigned random) {
  constexpr size_t header = 24;
  if (size < header || random % 64 == 0) {
    const auto& seed = seeds[random / 64 % seeds.size()];
    if (seed.size() <= maxSize) {
      std::memcpy(data, seed.data(), seed.size());
      size = seed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}

}  // namespace orthros::fuzz
