#include "tests/property/device_model_fixture.hpp"

#include "engine/reference/weights.hpp"
#include "engine/vulkan/instance.hpp"
#include "tests/property/random_conversations.hpp"

namespace orthros::test {

void DeviceModelTest::openDevice(const vulkan::DeviceOptions& options) {
  if (!instance_) {
    auto instance = vulkan::Instance::create({.validation = true});
    if (!instance) GTEST_SKIP() << instance.error().message();
    instance_ = *instance;
  }
  const auto devices = must(instance_->devices());
  if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
  device_ = must(vulkan::Device::open(instance_, must(vulkan::chooseDevice(devices, "")), options));
}

void DeviceModelTest::TearDown() {
  model_.reset();
  device_.reset();
  if (!instance_) return;
  for (const auto& message : instance_->validationMessages())
    ADD_FAILURE() << message.id << ": " << message.text;
}

void DeviceModelTest::load(const model::SynthOptions& options, kernels::Flavour flavour) {
  const auto bytes = must(model::synthBytes(options));
  const gguf::File file = must(gguf::File::parse(bytes, "generated model"));
  model::LoadSettings settings;
  settings.weights = model::WeightPrecision::f32;
  settings.maxBatchRows = 256;
  settings.library = kernels::KernelLibrary::create(*device_, flavour);
  // The attention kernels of GPUs read an f16 cache.
  settings.kv = settings.library->usesSubgroups() ? model::KvPrecision::f16 : model::KvPrecision::f32;
  model_ = must(model::DeviceModel::load(device_, file, nullptr, settings, {}, {}));
  exact_ = std::make_unique<reference::ReferenceModel>(model_->spec(),
                                                       must(reference::loadWeights(file, model_->spec())));
}

std::unique_ptr<model::Forward> DeviceModelTest::forwardFor(const phase::PhasePlan& plan) const {
  return must(model::Forward::create(model_, plan));
}

std::unique_ptr<model::KvCache> DeviceModelTest::newCache(uint32_t limit) const {
  return must(model::KvCache::create(model_, limit));
}

std::vector<uint32_t> DeviceModelTest::tokens(size_t count) {
  return randomTokens(random_, count, model_->spec().vocabulary);
}

Logits DeviceModelTest::runBatch(model::Forward& forward, model::KvCache& cache,
                                 std::span<const uint32_t> rowTokens, std::span<const phase::Phase> phases,
                                 uint32_t wantedRows) const {
  Logits logits(size_t{wantedRows} * model_->spec().vocabulary);
  must(forward.run(cache, {rowTokens, phases, wantedRows}, logits, {}));
  return logits;
}

Logits DeviceModelTest::runRows(model::Forward& forward, model::KvCache& cache,
                                std::span<const uint32_t> rowTokens, std::span<const phase::Phase> phases,
                                uint32_t batchRows) const {
  Logits logits;
  for (size_t begin = 0; begin < rowTokens.size();) {
    const size_t rows = std::min<size_t>(batchRows, rowTokens.size() - begin);
    const bool last = begin + rows == rowTokens.size();
    logits.resize(last ? model_->spec().vocabulary : 0);
    must(forward.run(cache,
                     {rowTokens.subspan(begin, rows), phases.subspan(begin, rows), last ? 1u : 0u, !last},
                     logits, {}));
    begin += rows;
  }
  return logits;
}

}  // namespace orthros::test
