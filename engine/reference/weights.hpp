// All weights of a model as float, the file's blocks expanded exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/gguf/file.hpp"
#include "engine/model/spec.hpp"

namespace orthros::reference {

// Matrices are [outputs, inputs], as in the file. Biases are empty where the model has none.
struct LayerWeights {
  std::vector<float> attentionNorm, q, k, v, attentionOutput;
  std::vector<float> qBias, kBias, vBias;
  std::vector<float> feedForwardNorm, gate, up, down;
};

struct ReferenceWeights {
  std::vector<float> embedding;   // [vocabulary, width]
  std::vector<float> outputNorm;  // [width]
  std::vector<float> output;      // [vocabulary, width]; empty: the embedding serves as output matrix
  std::vector<LayerWeights> layers;
};

// Adds an adapter's part to the rows [firstRow, firstRow + rows) of a tensor, whose values are given.
using MergeRows = std::function<void(const std::string& tensor, uint64_t firstRow, uint64_t rows,
                                     std::span<float> weights)>;

// Errors name the tensor. `merge` may be empty.
Result<ReferenceWeights> loadWeights(const gguf::File& file, const model::ModelSpec& spec,
                                     const MergeRows& merge = {});

}  // namespace orthros::reference
