// Where the columns of a device matrix come from: rows of tensors in the file, joined, interleaved and
// padded.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/gguf/file.hpp"
#include "engine/model/device_shape.hpp"

namespace orthros::model {

struct MatrixSource {
  struct Column {
    const gguf::Tensor* tensor = nullptr;  // null: a column of zeros
    uint32_t row = 0;
  };
  static constexpr uint32_t noInput = UINT32_MAX;

  std::vector<Column> columns;  // [padded columns]
  std::vector<uint32_t>
      inputs;          // [padded inner] the tensor's input behind each, noInput for zeros; empty: as they are
  uint32_t inner = 0;  // padded
  uint32_t logicalColumns = 0;
  uint32_t logicalInner = 0;
};

// The matrices of a layer and the output matrix, as the kernels want them. Errors name a missing tensor.
Result<MatrixSource> qkvSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer);
Result<MatrixSource> attentionOutputSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer);
Result<MatrixSource> gateUpSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer);
Result<MatrixSource> downSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer);
Result<MatrixSource> embeddingSource(const gguf::File& file, const ModelSpec& spec);
Result<MatrixSource> outputSource(const gguf::File& file, const ModelSpec& spec);

}  // namespace orthros::model
