#include "engine/vulkan/descriptor_pool.hpp"

#include "engine/vulkan/pipeline.hpp"

namespace orthros::vulkan {
namespace {

constexpr uint32_t setsPerPool = 256;
constexpr uint32_t descriptorsOfEachKind = 16 * setsPerPool;

}  // namespace

DescriptorPool::~DescriptorPool() {
  for (const VkDescriptorPool pool : pools_) vkDestroyDescriptorPool(device_->handle(), pool, nullptr);
}

void DescriptorPool::reset() {
  for (const VkDescriptorPool pool : pools_) vkResetDescriptorPool(device_->handle(), pool, 0);
  current_ = 0;
}

Result<VkDescriptorSet> DescriptorPool::allocate(VkDescriptorSetLayout layout) {
  VkDescriptorSet set = VK_NULL_HANDLE;
  for (; current_ < pools_.size(); ++current_) {
    const VkResult result = tryAllocate(layout, set);
    if (result == VK_SUCCESS) return set;
    const bool isFull = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!isFull) return fail(device_->fault(result, "descriptor set", "allocate it"));
  }
  ORTHROS_TRY(addPool());
  const VkResult result = tryAllocate(layout, set);
  if (result != VK_SUCCESS) return fail(device_->fault(result, "descriptor set", "allocate it"));
  return set;
}

VkResult DescriptorPool::tryAllocate(VkDescriptorSetLayout layout, VkDescriptorSet& set) const {
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pools_[current_];
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  return vkAllocateDescriptorSets(device_->handle(), &info, &set);
}

Status DescriptorPool::addPool() {
  std::vector<VkDescriptorPoolSize> sizes;
  for (const BindingKind kind :
       {BindingKind::storage, BindingKind::uniformTexel, BindingKind::storageTexel}) {
    sizes.push_back({descriptorType(kind), descriptorsOfEachKind});
  }
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = setsPerPool;
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  const VkResult result = vkCreateDescriptorPool(device_->handle(), &info, nullptr, &pool);
  if (result != VK_SUCCESS) return fail(device_->fault(result, "descriptor pool", "create it"));
  current_ = pools_.size();
  pools_.push_back(pool);
  return {};
}

}  // namespace orthros::vulkan
