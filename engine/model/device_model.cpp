#include "engine/model/device_model.hpp"

#include <set>

#include "engine/model/weight_loader.hpp"

namespace orthros::model {
namespace {

// Whoever asks for f32 gets kernels that compute in it.
kernels::Flavour flavourFor(const LoadSettings& settings, const vulkan::DeviceInfo& info) {
  const kernels::Flavour best = kernels::KernelLibrary::bestFlavour(info);
  const bool exact = settings.weights == WeightPrecision::f32 || settings.kv == KvPrecision::f32;
  return exact && best == kernels::Flavour::cooperative ? kernels::Flavour::subgroups : best;
}

// The kernels add no biases: running without them would give other logits than the model's.
Status refuseBiases(const gguf::File& file, const ModelSpec& spec) {
  if (!spec.qkvBias) return {};
  return fail(ErrorCode::unsupported, file.name(),
              "has query, key and value biases, which this program cannot run on a device",
              "Choose a model without them");
}

}  // namespace

kernels::KvFormat kvFormatOf(KvPrecision precision) {
  switch (precision) {
    case KvPrecision::f16:
      break;
    case KvPrecision::f32:
      return kernels::KvFormat::f32;
    case KvPrecision::q8:
      return kernels::KvFormat::q8;
  }
  return kernels::KvFormat::f16;
}

DeviceModel::DeviceModel(std::shared_ptr<vulkan::Device> device, ModelSpec spec, const LoadSettings& settings,
                         std::shared_ptr<kernels::KernelLibrary> library)
    : device_(std::move(device)),
      spec_(std::move(spec)),
      shape_(DeviceShape::of(spec_)),
      kvFormat_(kvFormatOf(settings.kv)),
      maxBatchRows_(settings.maxBatchRows ? settings.maxBatchRows
                                          : defaultBatchRows(library->flavour(), shape_)),
      library_(std::move(library)),
      transfer_(*device_),
      projection_(library_),
      attention_(library_, shape_.heads, kvFormat_),
      rmsNorm_(library_),
      rope_(library_),
      embed_(library_),
      argmax_(library_) {}

Result<std::shared_ptr<DeviceModel>> DeviceModel::load(std::shared_ptr<vulkan::Device> device,
                                                       const gguf::File& file, const Adapter* adapter,
                                                       const LoadSettings& settings,
                                                       const ProgressCallback& progress,
                                                       const CancelToken& cancel) {
  ORTHROS_ASSIGN(ModelSpec spec, readSpec(file));
  ORTHROS_TRY(refuseBiases(file, spec));
  if (adapter) ORTHROS_TRY(adapter->applyTo(spec));
  auto library = settings.library
                     ? settings.library
                     : kernels::KernelLibrary::create(*device, flavourFor(settings, device->info()));
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
  ORTHROS_TRY(argmax_.prepare());
  using kernels::Epilogue;
  const auto prepare = [&](const kernels::Matrix& matrix, Epilogue fewRows, Epilogue manyRows) -> Status {
    for (const uint32_t rows : kernels::Projection::compiledRows)
      ORTHROS_TRY(projection_.prepare(matrix, fewRows, kvFormat_, rows));
    return projection_.prepare(matrix, manyRows, kvFormat_, kernels::Projection::fewRows + 1);
  };
  for (const LayerWeights& layer : layers_) {
    const auto qkvOf = [&](uint32_t rows) {
      return projection_.fusesQkv(rows, kvFormat_) ? Epilogue::qkv : Epilogue::store;
    };
    ORTHROS_TRY(prepare(layer.qkv, qkvOf(1), qkvOf(maxBatchRows_)));
    ORTHROS_TRY(prepare(layer.output, Epilogue::residual, Epilogue::residual));
    ORTHROS_TRY(prepare(layer.gateUp, Epilogue::swiglu, Epilogue::swiglu));
    ORTHROS_TRY(prepare(layer.down, Epilogue::residual, Epilogue::residual));
  }
  return prepare(outputMatrix(), Epilogue::store, Epilogue::store);
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
