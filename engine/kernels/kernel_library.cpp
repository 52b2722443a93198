#include "engine/kernels/kernel_library.hpp"

#include <algorithm>

#include "engine/base/log.hpp"
#include "engine/kernels/fragment_layout.hpp"
#include "shaders/shaders.hpp"

namespace orthros::kernels {
namespace {

constexpr uint32_t wantedSubgroup = 32;
// Of the largest tile of matmul_coop.comp.
constexpr uint32_t matmulSharedBytes = (192 + 96) * 9 * 16, matmulInvocations = 384;

bool hasMatrixShape(const vulkan::DeviceInfo& info) {
  const auto wanted = [](const vulkan::CooperativeMatrixShape& shape) {
    return shape.m == 16 && shape.n == 16 && shape.k == 16 && shape.aType == "f16" && shape.bType == "f16" &&
           shape.cType == "f32" && shape.resultType == "f32" && shape.scope == "subgroup" &&
           !shape.saturating;
  };
  return std::any_of(info.cooperativeMatrices.begin(), info.cooperativeMatrices.end(), wanted);
}

// The wanted size, or the device's own where it has no choice.
uint32_t subgroupSize(const vulkan::DeviceInfo& info) {
  const vulkan::DeviceLimits& limits = info.limits;
  const bool chooses = info.features.subgroupSizeControl && limits.minSubgroupSize <= wantedSubgroup &&
                       limits.maxSubgroupSize >= wantedSubgroup;
  return chooses ? wantedSubgroup : limits.subgroupSize;
}

// Whether the device has what the shaders of Flavour::subgroups need.
bool supportsSubgroups(const vulkan::DeviceInfo& info) {
  const uint32_t size = subgroupSize(info);
  return info.features.subgroupArithmetic && info.features.subgroupShuffle && size >= 8 && size <= 64 &&
         info.limits.maxComputeSharedMemorySize >= 32 * 1024 &&
         info.limits.maxComputeWorkGroupInvocations >= 256;
}

// Whether the device and this build have what the shaders on cooperative matrices need.
bool supportsCooperative(const vulkan::DeviceInfo& info) {
  const vulkan::DeviceFeatures& features = info.features;
  return features.cooperativeMatrixKhr && hasMatrixShape(info) && features.shaderFloat16 &&
         features.storageBuffer16BitAccess && features.vulkanMemoryModel && features.subgroupVote &&
         supportsSubgroups(info) && subgroupSize(info) == wantedSubgroup &&
         info.limits.maxComputeSharedMemorySize >= matmulSharedBytes &&
         info.limits.maxComputeWorkGroupInvocations >= matmulInvocations &&
         !shaders::find("matmul_coop_128x128_q8_store").empty();
}

}  // namespace

const char* flavourName(Flavour flavour) {
  switch (flavour) {
    case Flavour::portable:
      return "portable";
    case Flavour::cpuLanes8:
      return "cpu-lanes8";
    case Flavour::subgroups:
      return "subgroups";
    case Flavour::cooperative:
      return "cooperative";
  }
  return "";
}

bool KernelLibrary::supports(Flavour flavour, const vulkan::DeviceInfo& info) {
  switch (flavour) {
    case Flavour::portable:
      return true;
    case Flavour::cpuLanes8:
      return info.limits.subgroupSize == 8 && info.features.subgroupShuffle &&
             info.features.subgroupArithmetic;
    case Flavour::subgroups:
      return supportsSubgroups(info);
    case Flavour::cooperative:
      return supportsCooperative(info);
  }
  return false;
}

Flavour KernelLibrary::bestFlavour(const vulkan::DeviceInfo& info) {
  if (info.isCpu()) return supports(Flavour::cpuLanes8, info) ? Flavour::cpuLanes8 : Flavour::portable;
  for (const Flavour flavour : {Flavour::cooperative, Flavour::subgroups})
    if (supports(flavour, info)) return flavour;
  return Flavour::portable;
}

KernelLibrary::KernelLibrary(vulkan::Device& device, Flavour flavour)
    : device_(device.shared_from_this()), flavour_(flavour), subgroup_(subgroupSize(device.info())) {
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

Result<std::shared_ptr<vulkan::Pipeline>> KernelLibrary::pipeline(
    const std::string& name, const std::vector<vulkan::BindingKind>& bindings, uint32_t pushBytes,
    const std::vector<uint32_t>& specialization) {
  vulkan::PipelineDescription description;
  description.name = name;
  description.bindings = bindings;
  description.pushBytes = pushBytes;
  description.specialization = specialization;
  if (flavour_ == Flavour::cpuLanes8 && device_->info().features.subgroupSizeControl)
    description.requiredSubgroupSize = 8;
  return build(std::move(description));
}

Result<std::shared_ptr<vulkan::Pipeline>> KernelLibrary::subgroupPipeline(
    const std::string& name, const std::vector<vulkan::BindingKind>& bindings, uint32_t pushBytes,
    const std::vector<uint32_t>& specialization) {
  vulkan::PipelineDescription description;
  description.name = name;
  description.bindings = bindings;
  description.pushBytes = pushBytes;
  description.specialization = specialization;
  description.fullSubgroups = true;
  if (device_->info().features.subgroupSizeControl) description.requiredSubgroupSize = subgroup_;
  return build(std::move(description));
}

Result<std::shared_ptr<vulkan::Pipeline>> KernelLibrary::build(vulkan::PipelineDescription description) {
  auto& pipeline = pipelines_[{description.name, description.specialization}];
  if (pipeline) return pipeline;
  description.spirv = shaders::find(description.name);
  if (description.spirv.empty())
    return fail(ErrorCode::internal, "shader " + description.name, "is not part of this build",
                "Report this as a fault");
  ORTHROS_ASSIGN(pipeline, vulkan::Pipeline::create(*device_, description, cache_.get()));
  return pipeline;
}

bool KernelLibrary::hasFragmentLayout() {
  if (!hasFragmentLayout_) {
    const auto asked = deviceHasFragmentLayout(*this);
    if (!asked) log::warn("attention runs without cooperative matrices: {}", asked.error().message());
    hasFragmentLayout_ = asked.value_or(false);
  }
  return *hasFragmentLayout_;
}

void KernelLibrary::saveCache() {
  if (cache_) cache_->saveOrLog();
}

}  // namespace orthros::kernels
