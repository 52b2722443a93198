#include "engine/model/weight_loader.hpp"

#include <cstring>

#include "engine/base/checked.hpp"
#include "engine/model/repack.hpp"

namespace orthros::model {
namespace {

using kernels::DeviceFormat;
using kernels::Matrix;
using kernels::Vector;

// Texel views begin at a multiple of this on every device (the limit's largest allowed value).
constexpr uint64_t regionAlignment = 256;

// Collects matrices and vectors that share one buffer, then writes them all.
class BufferPlan {
 public:
  void add(Matrix& matrix, MatrixSource source, DeviceFormat format) {
    matrix.format = format;
    matrix.columns = static_cast<uint32_t>(source.columns.size());
    matrix.inner = source.inner;
    matrix.logicalColumns = source.logicalColumns;
    matrix.logicalInner = source.logicalInner;
    matrix.weightsOffset = reserve(kernels::weightBytes(format, matrix.columns, matrix.inner));
    matrix.scalesOffset = reserve(kernels::scaleBytes(format, matrix.columns, matrix.inner));
    matrices_.push_back({&matrix, std::move(source)});
  }

  void add(Vector& vector, const gguf::Tensor& tensor, uint32_t stride) {
    vector.stride = stride;
    vector.offset = reserve(uint64_t{stride} * 4);
    vectors_.push_back({&vector, &tensor});
  }

  uint64_t bytes() const { return bytes_; }

  Status write(vulkan::Buffer& buffer, vulkan::Transfer& transfer, const Adapter* adapter) {
    for (auto& [matrix, source] : matrices_) {
      matrix->buffer = &buffer;
      ORTHROS_TRY(writeMatrix(buffer, transfer, adapter, *matrix, source));
    }
    for (auto& [vector, tensor] : vectors_) {
      vector->buffer = &buffer;
      std::vector<float> values(vector->stride, 0.f);
      gguf::dequantize(tensor->format, tensor->data, std::span(values).first(tensor->elements));
      ORTHROS_TRY(transfer.upload(buffer, vector->offset, std::as_bytes(std::span(values))));
    }
    return {};
  }

 private:
  uint64_t reserve(uint64_t bytes) {
    const uint64_t offset = bytes_;
    bytes_ += roundUp(bytes, regionAlignment);
    return offset;
  }

  static Status writeMatrix(vulkan::Buffer& buffer, vulkan::Transfer& transfer, const Adapter* adapter,
                            const Matrix& matrix, const MatrixSource& source) {
    const uint64_t weights = kernels::weightBytes(matrix.format, matrix.columns, matrix.inner);
    const uint64_t scales = kernels::scaleBytes(matrix.format, matrix.columns, matrix.inner);
    if (buffer.isMapped()) {
      const auto target = buffer.mapped();
      std::memset(target.data() + matrix.weightsOffset, 0, weights);
      std::memset(target.data() + matrix.scalesOffset, 0, scales);
      repack(source, matrix.format, adapter, target.subspan(matrix.weightsOffset, weights),
             target.subspan(matrix.scalesOffset, scales));
      return {};
    }
    std::vector<std::byte> packed(weights + scales);
    repack(source, matrix.format, adapter, std::span(packed).first(weights),
           std::span(packed).subspan(weights));
    ORTHROS_TRY(transfer.upload(buffer, matrix.weightsOffset, std::span(packed).first(weights)));
    if (scales == 0) return {};
    return transfer.upload(buffer, matrix.scalesOffset, std::span(packed).subspan(weights));
  }

  uint64_t bytes_ = 0;
  std::vector<std::pair<Matrix*, MatrixSource>> matrices_;
  std::vector<std::pair<Vector*, const gguf::Tensor*>> vectors_;
};

struct LoadContext {
  const gguf::File& file;
  const ModelSpec& spec;
  const Adapter* adapter;
  WeightPrecision precision;
};

Status addMatrix(BufferPlan& plan, const LoadContext& context, Matrix& matrix, Result<MatrixSource> source) {
  if (!source) return fail(source.error());
  const DeviceFormat format = deviceFormatFor(*source, context.precision, context.adapter);
  plan.add(matrix, std::move(source).value(), format);
  return {};
}

Status addNorm(BufferPlan& plan, const LoadContext& context, Vector& vector, const std::string& name) {
  ORTHROS_ASSIGN(const gguf::Tensor* tensor, context.file.tensor(name));
  plan.add(vector, *tensor, roundUp(context.spec.width, 32u));
  return {};
}

Status planLayer(BufferPlan& plan, const LoadContext& context, uint32_t layer, LayerWeights& weights) {
  const auto& [file, spec, adapter, precision] = context;
  ORTHROS_TRY(addMatrix(plan, context, weights.qkv, qkvSource(file, spec, layer)));
  ORTHROS_TRY(addMatrix(plan, context, weights.output, attentionOutputSource(file, spec, layer)));
  ORTHROS_TRY(addMatrix(plan, context, weights.gateUp, gateUpSource(file, spec, layer)));
  ORTHROS_TRY(addMatrix(plan, context, weights.down, downSource(file, spec, layer)));
  ORTHROS_TRY(addNorm(plan, context, weights.attentionNorm, layerTensor(layer, "attn_norm")));
  return addNorm(plan, context, weights.feedForwardNorm, layerTensor(layer, "ffn_norm"));
}

Status planEmbedding(BufferPlan& plan, const LoadContext& context, Matrix& matrix, Vector& outputNorm) {
  ORTHROS_TRY(addMatrix(plan, context, matrix, embeddingSource(context.file, context.spec)));
  return addNorm(plan, context, outputNorm, "output_norm.weight");
}

Status writePlan(BufferPlan& plan, vulkan::Device& device, vulkan::Transfer& transfer, const Adapter* adapter,
                 const std::string& name, std::vector<std::shared_ptr<vulkan::Buffer>>& buffers) {
  vulkan::BufferDescription description;
  description.name = name;
  description.bytes = plan.bytes();
  description.category = vulkan::MemoryCategory::weights;
  ORTHROS_ASSIGN(auto buffer, vulkan::Buffer::create(device, description));
  ORTHROS_TRY(plan.write(*buffer, transfer, adapter));
  buffers.push_back(std::move(buffer));
  return {};
}

}  // namespace

Result<uint64_t> plannedWeightBytes(const gguf::File& file, const ModelSpec& spec, const Adapter* adapter,
                                    WeightPrecision precision) {
  const LoadContext context{file, spec, adapter, precision};
  BufferPlan plan;
  for (uint32_t layer = 0; layer < spec.layers; ++layer) {
    LayerWeights unused;
    ORTHROS_TRY(planLayer(plan, context, layer, unused));
  }
  Matrix embedding, output;
  Vector norm;
  ORTHROS_TRY(planEmbedding(plan, context, embedding, norm));
  if (!spec.tiedOutput) ORTHROS_TRY(addMatrix(plan, context, output, outputSource(file, spec)));
  return plan.bytes();
}

Status WeightLoader::load(const ProgressCallback& progress, const CancelToken& cancel) {
  const ModelSpec& spec = model_.spec_;
  model_.layers_.resize(spec.layers);
  const uint64_t steps = spec.layers + 1;
  for (uint32_t layer = 0; layer < spec.layers; ++layer) {
    ORTHROS_TRY(cancel.check("loading the model"));
    if (progress) progress({"load", layer, steps});
    ORTHROS_TRY(loadLayer(layer));
  }
  if (progress) progress({"load", spec.layers, steps});
  ORTHROS_TRY(loadEmbedding());
  ORTHROS_TRY(loadOutput());
  model_.transfer_.releaseStaging();
  for (const auto& buffer : model_.buffers_) model_.weightBytes_ += buffer->bytes();
  return {};
}

Status WeightLoader::loadLayer(uint32_t layer) {
  BufferPlan plan;
  ORTHROS_TRY(planLayer(plan, {file_, model_.spec_, adapter_, precision_}, layer, model_.layers_[layer]));
  return writePlan(plan, *model_.device_, model_.transfer_, adapter_,
                   "weights of layer " + std::to_string(layer), model_.buffers_);
}

Status WeightLoader::loadEmbedding() {
  BufferPlan plan;
  ORTHROS_TRY(planEmbedding(plan, {file_, model_.spec_, adapter_, precision_}, model_.embedding_,
                            model_.outputNorm_));
  return writePlan(plan, *model_.device_, model_.transfer_, adapter_, "embedding", model_.buffers_);
}

Status WeightLoader::loadOutput() {
  if (model_.spec_.tiedOutput) return {};
  BufferPlan plan;
  const LoadContext context{file_, model_.spec_, adapter_, precision_};
  ORTHROS_TRY(addMatrix(plan, context, model_.output_, outputSource(file_, model_.spec_)));
  return writePlan(plan, *model_.device_, model_.transfer_, adapter_, "output matrix", model_.buffers_);
}

}  // namespace orthros::model
