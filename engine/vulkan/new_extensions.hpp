// Structures of extensions newer than the oldest Vulkan header the program builds with (1.3.239 lacks all of
// them). What a device can do must not depend on the header of the build. Numbers and layouts: Vulkan
// registry, extensions VK_KHR_cooperative_matrix, VK_NV_cooperative_matrix2, VK_KHR_shader_bfloat16.
#pragma once

#include <vulkan/vulkan.h>

namespace orthros::vulkan::extensions {

inline constexpr const char* cooperativeMatrixName = "VK_KHR_cooperative_matrix";
inline constexpr const char* cooperativeMatrix2Name = "VK_NV_cooperative_matrix2";
inline constexpr const char* bfloat16Name = "VK_KHR_shader_bfloat16";

inline constexpr auto cooperativeMatrixFeaturesType = static_cast<VkStructureType>(1000506000);
inline constexpr auto cooperativeMatrixPropertiesType = static_cast<VkStructureType>(1000506001);
inline constexpr auto cooperativeMatrix2FeaturesType = static_cast<VkStructureType>(1000593000);
inline constexpr auto bfloat16FeaturesType = static_cast<VkStructureType>(1000141000);

struct CooperativeMatrixFeatures {
  VkStructureType sType = cooperativeMatrixFeaturesType;
  void* pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

struct CooperativeMatrixProperties {
  VkStructureType sType = cooperativeMatrixPropertiesType;
  void* pNext = nullptr;
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0;
  uint32_t aType = 0;  // VkComponentTypeKHR
  uint32_t bType = 0;
  uint32_t cType = 0;
  uint32_t resultType = 0;
  VkBool32 saturatingAccumulation = VK_FALSE;
  uint32_t scope = 0;  // VkScopeKHR
};

using GetCooperativeMatrixProperties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*,
                                                            CooperativeMatrixProperties*);

struct CooperativeMatrix2Features {
  VkStructureType sType = cooperativeMatrix2FeaturesType;
  void* pNext = nullptr;
  VkBool32 workgroupScope = VK_FALSE;
  VkBool32 flexibleDimensions = VK_FALSE;
  VkBool32 reductions = VK_FALSE;
  VkBool32 conversions = VK_FALSE;
  VkBool32 perElementOperations = VK_FALSE;
  VkBool32 tensorAddressing = VK_FALSE;
  VkBool32 blockLoads = VK_FALSE;
};

struct Bfloat16Features {
  VkStructureType sType = bfloat16FeaturesType;
  void* pNext = nullptr;
  VkBool32 type = VK_FALSE;
  VkBool32 dotProduct = VK_FALSE;
  VkBool32 cooperativeMatrix = VK_FALSE;
};

}  // namespace orthros::vulkan::extensions
