#include "engine/model/device_model.hpp"

#include <set>

#include "engine/model/weight_loader.hpp"

namespace orthros::model {
namespace {

uint32_t defaultBatchRows(const vulkan::DeviceInfo& info) { return info.isCpu() ? 256 : 512; }

kernels::KvFormat kvFormatOf(KvPrecision precision) {
  return precision == KvPrecision::f32 ? kernels::KvFormat::f32 : kernels::KvFormat::f16;
}

}  // namespace

DeviceModel::DeviceModel(std::shared_ptr<vulkan::Device> device, ModelSpec spec, const LoadSettings& settings,
                         std::shared_ptr<kernels::KernelLibrary> library)
    : device_(std::move(device)),
      spec_(std::move(spec)),
      shape_(DeviceShape::of(spec_)),
      kvFormat_(kvFormatOf(settings.kv)),
      maxBatchRows_(settings.maxBatchRows ? settings.maxBatchRows : defaultBatchRows(device_->info())),
      library_(std::move(library)),
      transfer_(*device_),
      projection_(library_),
      attention_(library_, shape_.heads, kvFormat_),
      rmsNorm_(library_),
      embed_(library_) {}

Result<std::shared_ptr<DeviceModel>> DeviceModel::load(std::shared_ptr<vulkan::Device> device, const gguf::File& file,
                                                       const Adapter* adapter, const LoadSettings& settings,
                                                       const ProgressCallback& progress, const CancelToken& cancel) {
  ORTHROS_ASSIGN(ModelSpec spec, readSpec(file));
  if (adapter) ORTHROS_TRY(adapter->applyTo(spec));
  auto library = settings.library ? settings.library : kernels::KernelLibrary::create(*device);
  std::shared_ptr<DeviceModel> model(new DeviceModel(std::move(device), std::move(spec), settings, library));
  ORTHROS_ASSIGN(model->queue_, kernels::WorkQueue::create(*model->device_));
  ORTHROS_TRY(WeightLoader(*model, file, adapter, settings.weights).load(progress, cancel));
  ORTHROS_TRY(cancel.check("loading the model"));
  ORTHROS_TRY(model->preparePipelines());
  library->saveCache();
  return model;
}

Status DeviceModel::preparePipelines() {
  ORTHROS_TRY(attention_.prepare());
  std::set<kernels::DeviceFormat> qkv, residual, gateUp;
  for (const LayerWeights& layer : layers_) {
    qkv.insert(layer.qkv.format);
    residual.insert({layer.output.format, layer.down.format});
    gateUp.insert(layer.gateUp.format);
  }
  using kernels::Epilogue;
  for (const auto format : qkv) ORTHROS_TRY(projection_.prepare(format, Epilogue::qkv, kvFormat_));
  for (const auto format : residual) ORTHROS_TRY(projection_.prepare(format, Epilogue::residual, kvFormat_));
  for (const auto format : gateUp) ORTHROS_TRY(projection_.prepare(format, Epilogue::swiglu, kvFormat_));
  return projection_.prepare(outputMatrix().format, Epilogue::store, kvFormat_);
}

std::string DeviceModel::weightsDescription() const {
  std::set<std::string> names;
  for (const LayerWeights& layer : layers_)
    for (const kernels::Matrix* matrix : {&layer.qkv, &layer.output, &layer.gateUp, &layer.down})
      names.insert(kernels::deviceFormatName(matrix->format));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " and ") + name;
  return text + ", embedding " + kernels::deviceFormatName(embedding_.format);
}

}  // namespace orthros::model
