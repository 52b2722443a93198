#include "engine/model/matrix_source.hpp"

#include "engine/base/checked.hpp"

namespace orthros::model {
namespace {

// Columns one to one with the rows of a tensor.
Result<MatrixSource> plainSource(const gguf::File& file, const std::string& name) {
  ORTHROS_ASSIGN(const gguf::Tensor* tensor, file.tensor(name));
  MatrixSource source;
  source.logicalInner = static_cast<uint32_t>(tensor->shape[0]);
  source.logicalColumns = static_cast<uint32_t>(tensor->shape[1]);
  source.inner = roundUp(source.logicalInner, DeviceShape::tile);
  source.columns.resize(roundUp(source.logicalColumns, DeviceShape::tile));
  for (uint32_t row = 0; row < source.logicalColumns; ++row) source.columns[row] = {tensor, row};
  return source;
}

// The file's row of value `d` of a head, so that the values of a rotated pair become neighbours.
uint32_t rotaryRow(const RopeSpec& rope, uint32_t d) {
  if (rope.layout == RopeLayout::interleaved || d >= rope.dimensions) return d;
  return d / 2 + d % 2 * (rope.dimensions / 2);
}

void appendHeads(MatrixSource& source, const gguf::Tensor& tensor, uint32_t heads, const ModelSpec& spec,
                 uint32_t paddedHeadSize, bool rotary) {
  for (uint32_t head = 0; head < heads; ++head)
    for (uint32_t d = 0; d < paddedHeadSize; ++d) {
      MatrixSource::Column column;
      if (d < spec.headSize) {
        const uint32_t row = rotary ? rotaryRow(spec.rope, d) : d;
        column = {&tensor, head * spec.headSize + row};
      }
      source.columns.push_back(column);
    }
}

}  // namespace

Result<MatrixSource> qkvSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer) {
  ORTHROS_ASSIGN(const gguf::Tensor* q, file.tensor(layerTensor(layer, "attn_q")));
  ORTHROS_ASSIGN(const gguf::Tensor* k, file.tensor(layerTensor(layer, "attn_k")));
  ORTHROS_ASSIGN(const gguf::Tensor* v, file.tensor(layerTensor(layer, "attn_v")));
  const DeviceShape shape = DeviceShape::of(spec);
  MatrixSource source;
  source.logicalInner = spec.width;
  source.inner = shape.width;
  source.logicalColumns = (spec.heads + 2 * spec.kvHeads) * spec.headSize;
  source.columns.reserve(shape.qkv);
  appendHeads(source, *q, spec.heads, spec, shape.heads.headSize, true);
  appendHeads(source, *k, spec.kvHeads, spec, shape.heads.headSize, true);
  appendHeads(source, *v, spec.kvHeads, spec, shape.heads.headSize, false);
  source.columns.resize(shape.qkv);
  return source;
}

Result<MatrixSource> attentionOutputSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer) {
  ORTHROS_ASSIGN(MatrixSource source, plainSource(file, layerTensor(layer, "attn_output")));
  const DeviceShape shape = DeviceShape::of(spec);
  source.inner = shape.attention;
  if (shape.heads.headSize == spec.headSize) return source;
  source.inputs.reserve(source.inner);
  for (uint32_t head = 0; head < spec.heads; ++head)
    for (uint32_t d = 0; d < shape.heads.headSize; ++d)
      source.inputs.push_back(d < spec.headSize ? head * spec.headSize + d : MatrixSource::noInput);
  return source;
}

// Columns come as (gate, gate, up, up): one lane of a panel then holds both factors of its products.
Result<MatrixSource> gateUpSource(const gguf::File& file, const ModelSpec& spec, uint32_t layer) {
  ORTHROS_ASSIGN(const gguf::Tensor* gate, file.tensor(layerTensor(layer, "ffn_gate")));
  ORTHROS_ASSIGN(const gguf::Tensor* up, file.tensor(layerTensor(layer, "ffn_up")));
  const DeviceShape shape = DeviceShape::of(spec);
  MatrixSource source;
  source.logicalInner = spec.width;
  source.inner = shape.width;
  source.logicalColumns = 2 * spec.feedForward;
  source.columns.resize(size_t{2} * shape.feedForward);
  for (uint32_t row = 0; row < spec.feedForward; ++row) {
    const uint32_t column = row / 2 * 4 + row % 2;
    source.columns[column] = {gate, row};
    source.columns[column + 2] = {up, row};
  }
  return source;
}

Result<MatrixSource> downSource(const gguf::File& file, const ModelSpec&, uint32_t layer) {
  return plainSource(file, layerTensor(layer, "ffn_down"));
}

Result<MatrixSource> embeddingSource(const gguf::File& file, const ModelSpec&) {
  return plainSource(file, "token_embd.weight");
}

Result<MatrixSource> outputSource(const gguf::File& file, const ModelSpec&) {
  return plainSource(file, "output.weight");
}

}  // namespace orthros::model
