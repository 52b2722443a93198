// A model's weights on a device, with the kernels that run it. Shared by the forward passes and caches made
// from it; used by the one thread that owns the device.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/kernels/argmax.hpp"
#include "engine/kernels/attention.hpp"
#include "engine/kernels/embed.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/projection.hpp"
#include "engine/kernels/rms_norm.hpp"
#include "engine/kernels/rope.hpp"
#include "engine/kernels/work_queue.hpp"
#include "engine/model/adapter.hpp"
#include "engine/model/device_shape.hpp"
#include "engine/model/matrix_source.hpp"
#include "engine/model/precision.hpp"
#include "engine/vulkan/transfer.hpp"

namespace orthros::model {

struct LoadSettings {
  WeightPrecision weights = WeightPrecision::automatic;
  KvPrecision kv = KvPrecision::f16;
  uint32_t maxBatchRows = 0;                        // 0: by device class
  std::shared_ptr<kernels::KernelLibrary> library;  // null: the device's best flavour; tests give another
};

struct LayerWeights {
  kernels::Matrix qkv, output, gateUp, down;
  kernels::Vector attentionNorm, feedForwardNorm;
};

kernels::KvFormat kvFormatOf(KvPrecision precision);

class DeviceModel {
 public:
  // Repacks and uploads all weights and builds all pipelines. `adapter` may be null; it is merged and its
  // RoPE keys apply. Errors: malformed, mismatch, unsupported (query, key and value biases), outOfMemory,
  // cancelled, deviceLost. Progress: stage "load", in layers.
  static Result<std::shared_ptr<DeviceModel>> load(std::shared_ptr<vulkan::Device> device,
                                                   const gguf::File& file, const Adapter* adapter,
                                                   const LoadSettings& settings,
                                                   const ProgressCallback& progress,
                                                   const CancelToken& cancel);

  const ModelSpec& spec() const { return spec_; }
  const DeviceShape& shape() const { return shape_; }
  kernels::KvFormat kvFormat() const { return kvFormat_; }
  uint32_t maxBatchRows() const { return maxBatchRows_; }
  uint64_t weightBytes() const { return weightBytes_; }
  const kernels::Projection& projection() const { return projection_; }
  const kernels::Attention& attention() const { return attention_; }
  // How kernels hand so many rows to each other; the residual stream is f32 always.
  kernels::ActivationFormat rowsFormat(uint32_t rows) const {
    return rows <= kernels::Projection::fewRows ? kernels::ActivationFormat::f32 : library_->manyRowsFormat();
  }
  // The formats of the weights in words, as "8-bit, embedding 8-bit".
  std::string weightsDescription() const;

  vulkan::Device& device() const { return *device_; }
  kernels::WorkQueue& queue() { return *queue_; }
  vulkan::Transfer& transfer() { return transfer_; }
  kernels::Projection& projection() { return projection_; }
  kernels::Attention& attention() { return attention_; }
  kernels::RmsNorm& rmsNorm() { return rmsNorm_; }
  kernels::Rope& rope() { return rope_; }
  const std::shared_ptr<kernels::KernelLibrary>& library() const { return library_; }
  kernels::Embed& embed() { return embed_; }
  kernels::Argmax& argmax() { return argmax_; }

  const LayerWeights& layer(uint32_t index) const { return layers_[index]; }
  const kernels::Matrix& embedding() const { return embedding_; }
  const kernels::Matrix& outputMatrix() const { return spec_.tiedOutput ? embedding_ : output_; }
  const kernels::Vector& outputNorm() const { return outputNorm_; }

 private:
  friend class WeightLoader;
  DeviceModel(std::shared_ptr<vulkan::Device> device, ModelSpec spec, const LoadSettings& settings,
              std::shared_ptr<kernels::KernelLibrary> library);
  Status preparePipelines();

  std::shared_ptr<vulkan::Device> device_;
  ModelSpec spec_;
  DeviceShape shape_;
  kernels::KvFormat kvFormat_;
  uint32_t maxBatchRows_;
  uint64_t weightBytes_ = 0;
  std::shared_ptr<kernels::KernelLibrary> library_;
  std::unique_ptr<kernels::WorkQueue> queue_;
  vulkan::Transfer transfer_;
  kernels::Projection projection_;
  kernels::Attention attention_;
  kernels::RmsNorm rmsNorm_;
  kernels::Rope rope_;
  kernels::Embed embed_;
  kernels::Argmax argmax_;
  std::vector<std::shared_ptr<vulkan::Buffer>> buffers_;
  std::vector<LayerWeights> layers_;
  kernels::Matrix embedding_, output_;
  kernels::Vector outputNorm_;
};

}  // namespace orthros::model
