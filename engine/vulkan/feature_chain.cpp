#include "engine/vulkan/feature_chain.hpp"

#include <initializer_list>

#include "engine/vulkan/enumerate.hpp"
#include "engine/vulkan/vulkan_error.hpp"

namespace orthros::vulkan {
namespace {

template <class Structure>
void copyFeatures(Structure& to, const Structure& from,
                  std::initializer_list<VkBool32 Structure::*> features) {
  for (const auto feature : features) to.*feature = from.*feature;
}

}  // namespace

Result<ExtensionSet> deviceExtensions(VkPhysicalDevice device) {
  std::vector<VkExtensionProperties> properties;
  const VkResult result = enumerateAll(properties, [&](uint32_t* count, VkExtensionProperties* items) {
    return vkEnumerateDeviceExtensionProperties(device, nullptr, count, items);
  });
  if (result != VK_SUCCESS) return fail(vulkanError(result, "Vulkan device", "list its extensions"));
  ExtensionSet names;
  for (const auto& property : properties) names.emplace(property.extensionName);
  return names;
}

std::vector<const char*> usedExtensions(const ExtensionSet& available) {
  static constexpr const char* wanted[] = {
      VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
      VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
      VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
      VK_KHR_MAINTENANCE_4_EXTENSION_NAME,
      VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME,
      extensions::cooperativeMatrixName,
      "VK_KHR_portability_subset",  // must be enabled where it exists
  };
  std::vector<const char*> used;
  for (const char* name : wanted) {
    if (available.contains(name)) used.push_back(name);
  }
  return used;
}

FeatureChain::FeatureChain(uint32_t apiVersion, const ExtensionSet& available) {
  vulkan11_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  vulkan12_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  subgroupSize_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  maintenance4_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
  dotProduct_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  append(vulkan11_);
  append(vulkan12_);
  const bool core13 = apiVersion >= VK_API_VERSION_1_3;
  const auto known = [&](const char* extension) { return available.contains(extension); };
  if (core13 || known(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) append(subgroupSize_);
  if (core13 || known(VK_KHR_MAINTENANCE_4_EXTENSION_NAME)) append(maintenance4_);
  if (core13 || known(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) append(dotProduct_);
  if (known(extensions::cooperativeMatrixName)) append(cooperativeMatrix_);
  if (known(extensions::cooperativeMatrix2Name)) append(cooperativeMatrix2_);
  if (known(extensions::bfloat16Name)) append(bfloat16_);
}

void FeatureChain::enableUsed(const FeatureChain& found) {
  using Core = VkPhysicalDeviceFeatures;
  using V11 = VkPhysicalDeviceVulkan11Features;
  using V12 = VkPhysicalDeviceVulkan12Features;
  using Size = VkPhysicalDeviceSubgroupSizeControlFeatures;
  copyFeatures(core_.features, found.core_.features, {&Core::shaderInt16, &Core::shaderInt64});
  copyFeatures(vulkan11_, found.vulkan11_,
               {&V11::storageBuffer16BitAccess, &V11::uniformAndStorageBuffer16BitAccess,
                &V11::storagePushConstant16});
  copyFeatures(
      vulkan12_, found.vulkan12_,
      {&V12::storageBuffer8BitAccess, &V12::uniformAndStorageBuffer8BitAccess, &V12::storagePushConstant8,
       &V12::shaderFloat16, &V12::shaderInt8, &V12::scalarBlockLayout, &V12::vulkanMemoryModel,
       &V12::vulkanMemoryModelDeviceScope, &V12::timelineSemaphore, &V12::shaderSubgroupExtendedTypes});
  copyFeatures(subgroupSize_, found.subgroupSize_, {&Size::subgroupSizeControl, &Size::computeFullSubgroups});
  cooperativeMatrix_.cooperativeMatrix = found.cooperativeMatrix_.cooperativeMatrix;
  maintenance4_.maintenance4 = found.maintenance4_.maintenance4;
  dotProduct_.shaderIntegerDotProduct = found.dotProduct_.shaderIntegerDotProduct;
}

void FeatureChain::describe(DeviceFeatures& features) const {
  features.shaderInt16 = core_.features.shaderInt16;
  features.shaderInt64 = core_.features.shaderInt64;
  features.storageBuffer16BitAccess = vulkan11_.storageBuffer16BitAccess;
  features.uniformAndStorageBuffer16BitAccess = vulkan11_.uniformAndStorageBuffer16BitAccess;
  features.storagePushConstant16 = vulkan11_.storagePushConstant16;
  features.storageBuffer8BitAccess = vulkan12_.storageBuffer8BitAccess;
  features.uniformAndStorageBuffer8BitAccess = vulkan12_.uniformAndStorageBuffer8BitAccess;
  features.storagePushConstant8 = vulkan12_.storagePushConstant8;
  features.shaderFloat16 = vulkan12_.shaderFloat16;
  features.shaderInt8 = vulkan12_.shaderInt8;
  features.scalarBlockLayout = vulkan12_.scalarBlockLayout;
  features.vulkanMemoryModel = vulkan12_.vulkanMemoryModel;
  features.vulkanMemoryModelDeviceScope = vulkan12_.vulkanMemoryModelDeviceScope;
  features.timelineSemaphore = vulkan12_.timelineSemaphore;
  features.subgroupExtendedTypes = vulkan12_.shaderSubgroupExtendedTypes;
  features.subgroupSizeControl = subgroupSize_.subgroupSizeControl;
  features.computeFullSubgroups = subgroupSize_.computeFullSubgroups;
  features.maintenance4 = maintenance4_.maintenance4;
  features.integerDotProduct = dotProduct_.shaderIntegerDotProduct;
  features.cooperativeMatrixKhr = cooperativeMatrix_.cooperativeMatrix;
  // Each of NVIDIA's features is optional; kernels that want them need these three.
  features.cooperativeMatrix2Nv = cooperativeMatrix2_.workgroupScope &&
                                  cooperativeMatrix2_.flexibleDimensions &&
                                  cooperativeMatrix2_.tensorAddressing;
  features.bfloat16 = bfloat16_.type;
  features.bfloat16CooperativeMatrix = bfloat16_.cooperativeMatrix;
}

}  // namespace orthros::vulkan
