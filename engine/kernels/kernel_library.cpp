#include "engine/kernels/kernel_library.hpp"

#include "engine/base/log.hpp"
#include "shaders/shaders.hpp"

namespace orthros::kernels {

const char* flavourName(Flavour flavour) { return flavour == Flavour::cpuLanes8 ? "cpu-lanes8" : "portable"; }

Flavour KernelLibrary::bestFlavour(const vulkan::DeviceInfo& info) {
  const bool lanes8 = info.limits.subgroupSize == 8 && info.features.subgroupShuffle && info.features.subgroupArithmetic;
  return info.isCpu() && lanes8 ? Flavour::cpuLanes8 : Flavour::portable;
}

KernelLibrary::KernelLibrary(vulkan::Device& device, Flavour flavour)
    : device_(device.shared_from_this()), flavour_(flavour) {
  auto cache = vulkan::PipelineCache::open(device);
  if (cache) {
    cache_ = std::move(cache).value();
  } else {
    log::warn("pipelines will be compiled anew: {}", cache.error().message());
  }
}

std::shared_ptr<KernelLibrary> KernelLibrary::create(vulkan::Device& device) {
  return create(device, bestFlavour(device.info()));
}

std::shared_ptr<KernelLibrary> KernelLibrary::create(vulkan::Device& device, Flavour flavour) {
  return std::shared_ptr<KernelLibrary>(new KernelLibrary(device, flavour));
}

Result<std::shared_ptr<vulkan::Pipeline>> KernelLibrary::pipeline(const std::string& name,
                                                                  const std::vector<vulkan::BindingKind>& bindings,
                                                                  uint32_t pushBytes,
                                                                  const std::vector<uint32_t>& specialization) {
  auto& pipeline = pipelines_[{name, specialization}];
  if (pipeline) return pipeline;
  vulkan::PipelineDescription description;
  description.name = name;
  description.spirv = shaders::find(name);
  if (description.spirv.empty())
    return fail(ErrorCode::internal, "shader " + name, "is not part of this build", "Report this as a fault");
  description.bindings = bindings;
  description.pushBytes = pushBytes;
  description.specialization = specialization;
  if (flavour_ == Flavour::cpuLanes8 && device_->info().features.subgroupSizeControl)
    description.requiredSubgroupSize = 8;
  ORTHROS_ASSIGN(pipeline, vulkan::Pipeline::create(*device_, description, cache_.get()));
  return pipeline;
}

void KernelLibrary::saveCache() {
  if (cache_) cache_->saveOrLog();
}

}  // namespace orthros::kernels
