// The shape of a model: what the forward pass, the cost model and the reference need to know, read from GGUF
// metadata. Architectures differ in data (these fields), not in code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/gguf/file.hpp"

namespace orthros::model {

enum class RopeLayout : uint8_t {
  interleaved,  // pairs (2i, 2i + 1): GGUF files of architecture llama
  halves,       // pairs (i, i + half): qwen2, phi3, gemma and others
};

struct RopeSpec {
  RopeLayout layout = RopeLayout::interleaved;
  uint32_t dimensions = 0;     // rotated values per head, even, <= headSize
  float base = 10000.f;        // frequency i is base^(-2i / dimensions) / factors[i]
  float scale = 1.f;           // positions are multiplied by this (linear scaling: 1 / factor)
  float attentionScale = 1.f;  // YaRN's temperature on cos and sin
  std::vector<float> factors;  // [dimensions / 2], or empty for all 1; rope_freqs.weight or an adapter's
  // YaRN needs nothing more: its change of each frequency is in `factors`, its temperature in
  // `attentionScale`.

  // [dimensions / 2] radians per position, `scale` and `factors` included, double precision: the angles' only
  // source. The row at position p turns pair i by p * frequencies()[i].
  std::vector<double> frequencies() const;
};

struct ModelSpec {
  std::string architecture;  // general.architecture
  std::string name;          // general.name, may be empty
  uint32_t layers = 0;
  uint32_t width = 0;     // d, values per row of the residual stream
  uint32_t heads = 0;     // query heads
  uint32_t kvHeads = 0;   // heads is a multiple of kvHeads
  uint32_t headSize = 0;  // values per head of K and Q
  uint32_t feedForward = 0;
  uint32_t vocabulary = 0;
  uint32_t contextTokens = 0;  // the context it was trained for
  float normEpsilon = 1e-5f;
  float attentionScale = 0.f;  // multiplies Q.K; 1 / sqrt(headSize) unless the file says otherwise
  bool tiedOutput = false;     // the output matrix is token_embd.weight
  bool qkvBias = false;
  RopeSpec rope;

  uint32_t group() const { return heads / kvHeads; }
};

// Reads and checks the metadata and the tensor list of a model file. Errors name the key or tensor.
Result<ModelSpec> readSpec(const gguf::File& file);

// "blk.<layer>.<name>.weight"
std::string layerTensor(uint32_t layer, const char* name);

}  // namespace orthros::model
