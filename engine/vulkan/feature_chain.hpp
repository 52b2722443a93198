// The feature structures of a device, chained: asked of a physical device, and handed back to open a logical
// one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device_info.hpp"
#include "engine/vulkan/new_extensions.hpp"

namespace orthros::vulkan {

using ExtensionSet = std::set<std::string, std::less<>>;

Result<ExtensionSet> deviceExtensions(VkPhysicalDevice device);

// Those of the device's extensions that the program uses, to be enabled together. NVIDIA's cooperative
// matrices and bfloat16 are only told of: no kernel uses them yet, and older validation layers complain about
// what they do not know.
std::vector<const char*> usedExtensions(const ExtensionSet& available);

// Cannot be moved: its structures point to each other.
class FeatureChain {
 public:
  // Chains the structures that a device with this API version and these extensions knows; all features off.
  FeatureChain(uint32_t apiVersion, const ExtensionSet& extensions);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  void query(VkPhysicalDevice device) { vkGetPhysicalDeviceFeatures2(device, &core_); }
  // Turns on those features of `found` that the program uses. Others, robust access first, would only cost
  // speed.
  void enableUsed(const FeatureChain& found);
  const void* head() const { return &core_; }
  // Fills in what feature structures tell; subgroup operations and the like are properties.
  void describe(DeviceFeatures& features) const;

 private:
  template <class Structure>
  void append(Structure& structure) {
    *tail_ = &structure;
    tail_ = &structure.pNext;
  }

  VkPhysicalDeviceFeatures2 core_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr, {}};
  VkPhysicalDeviceVulkan11Features vulkan11_{};
  VkPhysicalDeviceVulkan12Features vulkan12_{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroupSize_{};
  VkPhysicalDeviceMaintenance4Features maintenance4_{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dotProduct_{};
  extensions::CooperativeMatrixFeatures cooperativeMatrix_;
  extensions::CooperativeMatrix2Features cooperativeMatrix2_;
  extensions::Bfloat16Features bfloat16_;
  void** tail_ = &core_.pNext;
};

}  // namespace orthros::vulkan
