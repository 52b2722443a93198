// Random tensors for generated models, equal on every machine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/file.hpp"
#include "engine/gguf/block_format.hpp"

namespace orthros::model {

// Fills `values` with numbers of mean `mean` and deviation `deviation`, bell-shaped and bounded by 3.5
// deviations: value i is a function of (stream, first + i) alone, so any part can be made by itself.
void fillRandom(std::span<float> values, uint64_t stream, uint64_t first, float mean, float deviation);

// A stream for each (seed, name).
uint64_t streamOf(uint64_t seed, std::string_view name);

struct RandomTensor {
  gguf::Format format;
  uint64_t elements;
  float mean;
  float deviation;
  uint64_t stream;
};

// Writes a tensor block by block, all values its own.
Status writeRandom(const RandomTensor& tensor, const FileSink& sink);

// Writes tensors out of a few MB of blocks per (format, deviation), made at the first use.
class BlockPool {
 public:
  Status write(const RandomTensor& tensor, const FileSink& sink);

 private:
  const std::vector<std::byte>& blocksFor(const RandomTensor& tensor);
  std::map<std::pair<gguf::Format, float>, std::vector<std::byte>> pools_;
};

}  // namespace orthros::model
