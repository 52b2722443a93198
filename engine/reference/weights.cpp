#include "engine/reference/weights.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"
#include "engine/base/parallel.hpp"

namespace orthros::reference {
namespace {

class Loader {
 public:
  Loader(const gguf::File& file, const MergeRows& merge) : file_(file), merge_(merge) {}

  Result<std::vector<float>> load(const std::string& name, uint64_t rows, uint64_t inputs) const {
    ORTHROS_ASSIGN(const gguf::Tensor* tensor, file_.tensor(name));
    if (tensor->elements != rows * inputs || tensor->shape.empty() || tensor->shape[0] != inputs) {
      return fail(
          ErrorCode::malformed, name,
          "is not a tensor of " + std::to_string(rows) + " rows of " + std::to_string(inputs) + " values");
    }
    return expand(*tensor, rows, inputs);
  }

 private:
  std::vector<float> expand(const gguf::Tensor& tensor, uint64_t rows, uint64_t inputs) const {
    constexpr uint64_t rowsPerTask = 256;
    const uint64_t rowBytes = tensor.data.size() / rows;
    std::vector<float> values(rows * inputs);
    parallelFor(divideRoundingUp(rows, rowsPerTask), [&](size_t task) {
      const uint64_t first = task * rowsPerTask;
      const uint64_t count = std::min(rowsPerTask, rows - first);
      const auto part = std::span(values).subspan(first * inputs, count * inputs);
      gguf::dequantize(tensor.format, tensor.data.subspan(first * rowBytes, count * rowBytes), part);
      if (merge_) merge_(tensor.name, first, count, part);
    });
    return values;
  }

  const gguf::File& file_;
  const MergeRows& merge_;
};

Result<LayerWeights> loadLayer(const Loader& loader, const model::ModelSpec& spec, uint32_t layer) {
  const uint64_t queryWidth = uint64_t{spec.heads} * spec.headSize;
  const uint64_t kvWidth = uint64_t{spec.kvHeads} * spec.headSize;
  const struct {
    const char* name;
    std::vector<float> LayerWeights::*member;
    uint64_t rows, inputs;
  } matrices[] = {
      {"attn_norm", &LayerWeights::attentionNorm, 1, spec.width},
      {"attn_q", &LayerWeights::q, queryWidth, spec.width},
      {"attn_k", &LayerWeights::k, kvWidth, spec.width},
      {"attn_v", &LayerWeights::v, kvWidth, spec.width},
      {"attn_output", &LayerWeights::attentionOutput, spec.width, queryWidth},
      {"ffn_norm", &LayerWeights::feedForwardNorm, 1, spec.width},
      {"ffn_gate", &LayerWeights::gate, spec.feedForward, spec.width},
      {"ffn_up", &LayerWeights::up, spec.feedForward, spec.width},
      {"ffn_down", &LayerWeights::down, spec.width, spec.feedForward},
  };
  LayerWeights weights;
  for (const auto& matrix : matrices) {
    ORTHROS_ASSIGN(weights.*matrix.member,
                   loader.load(model::layerTensor(layer, matrix.name), matrix.rows, matrix.inputs));
  }
  if (!spec.qkvBias) return weights;
  const std::string prefix = "blk." + std::to_string(layer) + '.';
  ORTHROS_ASSIGN(weights.qBias, loader.load(prefix + "attn_q.bias", 1, queryWidth));
  ORTHROS_ASSIGN(weights.kBias, loader.load(prefix + "attn_k.bias", 1, kvWidth));
  ORTHROS_ASSIGN(weights.vBias, loader.load(prefix + "attn_v.bias", 1, kvWidth));
  return weights;
}

}  // namespace

Result<ReferenceWeights> loadWeights(const gguf::File& file, const model::ModelSpec& spec,
                                     const MergeRows& merge) {
  const Loader loader(file, merge);
  ReferenceWeights weights;
  ORTHROS_ASSIGN(weights.embedding, loader.load("token_embd.weight", spec.vocabulary, spec.width));
  ORTHROS_ASSIGN(weights.outputNorm, loader.load("output_norm.weight", 1, spec.width));
  if (!spec.tiedOutput) {
    ORTHROS_ASSIGN(weights.output, loader.load("output.weight", spec.vocabulary, spec.width));
  }
  for (uint32_t layer = 0; layer < spec.layers; ++layer) {
    ORTHROS_ASSIGN(LayerWeights loaded, loadLayer(loader, spec, layer));
    weights.layers.push_back(std::move(loaded));
  }
  return weights;
}

}  // namespace orthros::reference
