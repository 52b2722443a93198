#include "engine/vulkan/pipeline.hpp"

#include <bit>

#include "engine/vulkan/pipeline_cache.hpp"

namespace orthros::vulkan {
namespace {

constexpr uint32_t spirvMagic = 0x07230203;
constexpr size_t spirvHeaderWords = 5;

// Destroys a shader module at the end of a scope; a pipeline no longer needs it.
class ShaderModule {
 public:
  explicit ShaderModule(VkDevice device) : device_(device) {}
  ShaderModule(const ShaderModule&) = delete;
  ShaderModule& operator=(const ShaderModule&) = delete;
  ~ShaderModule() { vkDestroyShaderModule(device_, module_, nullptr); }

  VkResult create(std::span<const uint32_t> spirv) {
    VkShaderModuleCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = spirv.size_bytes();
    info.pCode = spirv.data();
    return vkCreateShaderModule(device_, &info, nullptr, &module_);
  }
  VkShaderModule handle() const { return module_; }

 private:
  VkDevice device_;
  VkShaderModule module_ = VK_NULL_HANDLE;
};

Status checkSubgroupSize(const DeviceInfo& info, const PipelineDescription& description) {
  if (!description.requiredSubgroupSize) return {};
  const uint32_t wanted = *description.requiredSubgroupSize;
  const DeviceLimits& limits = info.limits;
  const bool inRange =
      std::has_single_bit(wanted) && wanted >= limits.minSubgroupSize && wanted <= limits.maxSubgroupSize;
  if (inRange && (info.features.subgroupSizeControl || limits.minSubgroupSize == limits.maxSubgroupSize))
    return {};
  return fail(ErrorCode::unsupported, description.name,
              "needs subgroups of " + std::to_string(wanted) + ", but " + info.name + " offers " +
                  std::to_string(limits.minSubgroupSize) + " to " + std::to_string(limits.maxSubgroupSize));
}

Status checkDescription(const DeviceInfo& info, const PipelineDescription& description) {
  const auto& spirv = description.spirv;
  if (spirv.size() < spirvHeaderWords || spirv[0] != spirvMagic) {
    return fail(ErrorCode::invalidArgument, description.name, "the shader is not SPIR-V");
  }
  if (description.pushBytes % 4 != 0 || description.pushBytes > info.limits.maxPushConstantsSize) {
    return fail(ErrorCode::invalidArgument, description.name,
                std::to_string(description.pushBytes) +
                    " bytes of push constants, where a multiple of 4 up to " +
                    std::to_string(info.limits.maxPushConstantsSize) + " is possible");
  }
  return checkSubgroupSize(info, description);
}

std::vector<VkSpecializationMapEntry> specializationEntries(size_t count) {
  std::vector<VkSpecializationMapEntry> entries(count);
  for (uint32_t id = 0; id < count; ++id) {
    entries[id] = {id, static_cast<uint32_t>(id * sizeof(uint32_t)), sizeof(uint32_t)};
  }
  return entries;
}

}  // namespace

VkDescriptorType descriptorType(BindingKind kind) {
  switch (kind) {
    case BindingKind::storage:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    case BindingKind::uniformTexel:
      return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case BindingKind::storageTexel:
      return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  }
  return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

Result<std::shared_ptr<Pipeline>> Pipeline::create(Device& device, const PipelineDescription& description,
                                                   PipelineCache* cache) {
  ORTHROS_TRY(device.checkAlive());
  ORTHROS_TRY(checkDescription(device.info(), description));
  std::shared_ptr<Pipeline> pipeline(new Pipeline(device.shared_from_this(), description));
  ORTHROS_TRY(pipeline->createLayout());
  ORTHROS_TRY(pipeline->createPipeline(description, cache ? cache->handle() : VK_NULL_HANDLE));
  return pipeline;
}

Pipeline::Pipeline(std::shared_ptr<Device> device, const PipelineDescription& description)
    : device_(std::move(device)),
      name_(description.name),
      bindings_(description.bindings),
      pushBytes_(description.pushBytes),
      pushesDescriptors_(device_->usesPushDescriptors() &&
                         description.bindings.size() <= device_->info().limits.maxPushDescriptors) {}

Pipeline::~Pipeline() {
  vkDestroyPipeline(device_->handle(), pipeline_, nullptr);
  vkDestroyPipelineLayout(device_->handle(), layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_->handle(), setLayout_, nullptr);
}

Status Pipeline::createLayout() {
  std::vector<VkDescriptorSetLayoutBinding> slots;
  for (const BindingKind kind : bindings_) {
    slots.push_back(
        {static_cast<uint32_t>(slots.size()), descriptorType(kind), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo setInfo{};
  setInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  setInfo.flags = pushesDescriptors_ ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0;
  setInfo.bindingCount = static_cast<uint32_t>(slots.size());
  setInfo.pBindings = slots.data();
  VkResult result = vkCreateDescriptorSetLayout(device_->handle(), &setInfo, nullptr, &setLayout_);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "create the set layout"));

  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes_};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &setLayout_;
  info.pushConstantRangeCount = pushBytes_ ? 1 : 0;
  info.pPushConstantRanges = &push;
  result = vkCreatePipelineLayout(device_->handle(), &info, nullptr, &layout_);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "create the pipeline layout"));
  return {};
}

Status Pipeline::createPipeline(const PipelineDescription& description, VkPipelineCache cache) {
  ShaderModule module(device_->handle());
  VkResult result = module.create(description.spirv);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "load the shader"));

  const auto entries = specializationEntries(description.specialization.size());
  const VkSpecializationInfo constants{static_cast<uint32_t>(entries.size()), entries.data(),
                                       description.specialization.size() * sizeof(uint32_t),
                                       description.specialization.data()};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroup.requiredSubgroupSize = description.requiredSubgroupSize.value_or(0);
  const DeviceFeatures& features = device_->info().features;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;  // dispatches may be cut into slices
  info.layout = layout_;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (description.requiredSubgroupSize && features.subgroupSizeControl) info.stage.pNext = &subgroup;
  if (description.fullSubgroups && features.computeFullSubgroups) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.handle();
  info.stage.pName = description.entryPoint.c_str();
  info.stage.pSpecializationInfo = entries.empty() ? nullptr : &constants;
  result = vkCreateComputePipelines(device_->handle(), cache, 1, &info, nullptr, &pipeline_);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "compile the shader"));
  device_->setObjectName(VK_OBJECT_TYPE_PIPELINE, pipeline_, name_);
  return {};
}

}  // namespace orthros::vulkan
