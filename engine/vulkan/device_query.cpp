#include "engine/vulkan/device_query.hpp"

#include <algorithm>

#include "engine/vulkan/enumerate.hpp"
#include "engine/vulkan/feature_chain.hpp"
#include "engine/vulkan/vulkan_error.hpp"

namespace orthros::vulkan {
namespace {

// The property structures that a DeviceInfo is read from, chained.
struct Properties {
  VkPhysicalDeviceProperties2 core{};
  VkPhysicalDeviceVulkan11Properties vulkan11{};
  VkPhysicalDeviceVulkan12Properties vulkan12{};
  VkPhysicalDevicePushDescriptorPropertiesKHR push{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroupSize{};
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  VkPhysicalDeviceShaderIntegerDotProductProperties dotProduct{};
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidiaCores{};
  VkPhysicalDeviceShaderCorePropertiesAMD amdCores{};

  Properties(VkPhysicalDevice device, uint32_t apiVersion, const ExtensionSet& extensions) {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    push.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR;
    subgroupSize.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
    maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
    dotProduct.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES;
    nvidiaCores.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
    amdCores.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
    const bool core13 = apiVersion >= VK_API_VERSION_1_3;
    append(vulkan11);
    append(vulkan12);
    if (extensions.contains(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) append(push);
    if (core13 || extensions.contains(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) append(subgroupSize);
    if (core13 || extensions.contains(VK_KHR_MAINTENANCE_4_EXTENSION_NAME)) append(maintenance4);
    if (core13 || extensions.contains(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) append(dotProduct);
    if (extensions.contains(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) append(nvidiaCores);
    if (extensions.contains(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) append(amdCores);
    vkGetPhysicalDeviceProperties2(device, &core);
  }

 private:
  template <class Structure>
  void append(Structure& structure) {
    *tail = &structure;
    tail = &structure.pNext;
  }
  void** tail = &core.pNext;
};

std::string hexDigits(std::span<const uint8_t> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

DeviceType typeOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceType::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceType::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceType::virtualGpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceType::cpu;
    default:
      return DeviceType::other;
  }
}

void describeIdentity(DeviceInfo& info, const Properties& properties) {
  const VkPhysicalDeviceProperties& core = properties.core.properties;
  info.name = core.deviceName;
  info.type = typeOf(core.deviceType);
  info.vendorId = core.vendorID;
  info.deviceId = core.deviceID;
  info.uuid = hexDigits(properties.vulkan11.deviceUUID);
  info.driverUuid = hexDigits(properties.vulkan11.driverUUID);
  info.driverName = properties.vulkan12.driverName;
  info.driverVersion = properties.vulkan12.driverInfo;
  if (info.driverVersion.empty()) info.driverVersion = std::to_string(core.driverVersion);
  info.apiMajor = VK_API_VERSION_MAJOR(core.apiVersion);
  info.apiMinor = VK_API_VERSION_MINOR(core.apiVersion);
  info.apiPatch = VK_API_VERSION_PATCH(core.apiVersion);
}

void describeLimits(DeviceLimits& limits, const Properties& properties,
                    const VkQueueFamilyProperties& family) {
  const VkPhysicalDeviceLimits& core = properties.core.properties.limits;
  limits.maxStorageBufferRange = core.maxStorageBufferRange;
  limits.maxTexelBufferElements = core.maxTexelBufferElements;
  limits.maxBufferBytes = properties.vulkan11.maxMemoryAllocationSize;
  const uint64_t maxBufferSize = properties.maintenance4.maxBufferSize;
  if (maxBufferSize) limits.maxBufferBytes = std::min(limits.maxBufferBytes, maxBufferSize);
  limits.maxPushConstantsSize = core.maxPushConstantsSize;
  limits.maxPushDescriptors = properties.push.maxPushDescriptors;
  limits.maxComputeSharedMemorySize = core.maxComputeSharedMemorySize;
  limits.maxComputeWorkGroupInvocations = core.maxComputeWorkGroupInvocations;
  std::copy_n(core.maxComputeWorkGroupCount, 3, limits.maxComputeWorkGroupCount);
  std::copy_n(core.maxComputeWorkGroupSize, 3, limits.maxComputeWorkGroupSize);
  limits.minStorageBufferOffsetAlignment = core.minStorageBufferOffsetAlignment;
  limits.minTexelBufferOffsetAlignment = core.minTexelBufferOffsetAlignment;
  const auto& amd = properties.amdCores;
  limits.processors =
      std::max(properties.nvidiaCores.shaderSMCount,
               amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray);
  limits.timestampValidBits = family.timestampValidBits;
  limits.timestampPeriodNs = static_cast<double>(core.timestampPeriod);
  limits.subgroupSize = properties.vulkan11.subgroupSize;
  const auto& size = properties.subgroupSize;
  limits.minSubgroupSize = size.minSubgroupSize ? size.minSubgroupSize : limits.subgroupSize;
  limits.maxSubgroupSize = size.maxSubgroupSize ? size.maxSubgroupSize : limits.subgroupSize;
}

void describePropertyFeatures(DeviceFeatures& features, const Properties& properties,
                              const ExtensionSet& extensions) {
  const bool inCompute = properties.vulkan11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
  const VkSubgroupFeatureFlags operations = inCompute ? properties.vulkan11.subgroupSupportedOperations : 0;
  features.subgroupBasic = operations & VK_SUBGROUP_FEATURE_BASIC_BIT;
  features.subgroupVote = operations & VK_SUBGROUP_FEATURE_VOTE_BIT;
  features.subgroupArithmetic = operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
  features.subgroupBallot = operations & VK_SUBGROUP_FEATURE_BALLOT_BIT;
  features.subgroupShuffle = operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  features.subgroupShuffleRelative = operations & VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  features.subgroupClustered = operations & VK_SUBGROUP_FEATURE_CLUSTERED_BIT;
  // Requiring a size is allowed only in the stages the device names.
  features.subgroupSizeControl =
      features.subgroupSizeControl &&
      (properties.subgroupSize.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
  features.pushDescriptor = extensions.contains(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  features.memoryBudget = extensions.contains(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  features.integerDotProductAccelerated8Bit =
      properties.dotProduct.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
}

std::string componentName(uint32_t type) {
  static constexpr const char* names[] = {"f16", "f32", "f64", "s8",  "s16", "s32",
                                          "s64", "u8",  "u16", "u32", "u64"};
  static constexpr uint32_t bfloat16 = 1000141000;
  if (type < std::size(names)) return names[type];
  return type == bfloat16 ? "bf16" : "type-" + std::to_string(type);
}

std::string scopeName(uint32_t scope) {
  switch (scope) {
    case 1:
      return "device";
    case 2:
      return "workgroup";
    case 3:
      return "subgroup";
    case 5:
      return "queue-family";
    default:
      return "scope-" + std::to_string(scope);
  }
}

std::vector<CooperativeMatrixShape> queryMatrixShapes(VkInstance instance, VkPhysicalDevice device) {
  const auto query = reinterpret_cast<extensions::GetCooperativeMatrixProperties>(
      vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (!query) return {};
  std::vector<extensions::CooperativeMatrixProperties> properties;
  enumerateAll(properties, [&](uint32_t* count, extensions::CooperativeMatrixProperties* items) {
    return query(device, count, items);
  });
  std::vector<CooperativeMatrixShape> shapes;
  for (const auto& shape : properties) {
    shapes.push_back({.m = shape.m,
                      .n = shape.n,
                      .k = shape.k,
                      .aType = componentName(shape.aType),
                      .bType = componentName(shape.bType),
                      .cType = componentName(shape.cType),
                      .resultType = componentName(shape.resultType),
                      .saturating = shape.saturatingAccumulation == VK_TRUE,
                      .scope = scopeName(shape.scope)});
  }
  return shapes;
}

std::vector<VkQueueFamilyProperties> queueFamilies(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

bool canMapDeviceMemory(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  return std::any_of(memory.memoryTypes, memory.memoryTypes + memory.memoryTypeCount,
                     [](const VkMemoryType& type) { return (type.propertyFlags & wanted) == wanted; });
}

}  // namespace

std::optional<uint32_t> chooseQueueFamily(std::span<const VkQueueFamilyProperties> families) {
  std::optional<uint32_t> best;
  int bestScore = -1;
  for (uint32_t i = 0; i < families.size(); ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0) continue;
    const bool hasTimestamps = families[i].timestampValidBits > 0;
    const bool isDedicated = !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT);
    const int score = 2 * hasTimestamps + isDedicated;
    if (score > bestScore) {
      best = i;
      bestScore = score;
    }
  }
  return best;
}

std::string deviceUuid(VkPhysicalDevice device) {
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  vkGetPhysicalDeviceProperties2(device, &properties);
  return hexDigits(id.deviceUUID);
}

std::vector<MemoryHeap> queryHeaps(VkPhysicalDevice device, bool hasBudgetExtension) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  if (hasBudgetExtension) properties.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(device, &properties);
  const VkPhysicalDeviceMemoryProperties& memory = properties.memoryProperties;
  std::vector<MemoryHeap> heaps(memory.memoryHeapCount);
  for (uint32_t i = 0; i < heaps.size(); ++i) {
    heaps[i].bytes = memory.memoryHeaps[i].size;
    heaps[i].deviceLocal = memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    heaps[i].budgetBytes = hasBudgetExtension ? budget.heapBudget[i] : heaps[i].bytes;
    heaps[i].usedBytes = hasBudgetExtension ? budget.heapUsage[i] : 0;
  }
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if (memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
      heaps[memory.memoryTypes[i].heapIndex].hostVisible = true;
    }
  }
  return heaps;
}

Result<DeviceInfo> queryDevice(VkInstance instance, VkPhysicalDevice device, uint32_t index) {
  VkPhysicalDeviceProperties basic{};
  vkGetPhysicalDeviceProperties(device, &basic);
  if (basic.apiVersion < minimumApiVersion) {
    return fail(ErrorCode::unsupported, basic.deviceName, "offers Vulkan below 1.2", "Update its driver");
  }
  const auto families = queueFamilies(device);
  const auto family = chooseQueueFamily(families);
  if (!family) return fail(ErrorCode::unsupported, basic.deviceName, "has no compute queue");
  ORTHROS_ASSIGN(const ExtensionSet extensions, deviceExtensions(device));

  DeviceInfo info;
  info.index = index;
  info.queueFamily = *family;
  const Properties properties(device, basic.apiVersion, extensions);
  FeatureChain features(basic.apiVersion, extensions);
  features.query(device);
  features.describe(info.features);
  describeIdentity(info, properties);
  describeLimits(info.limits, properties, families[*family]);
  describePropertyFeatures(info.features, properties, extensions);
  if (info.features.cooperativeMatrixKhr) info.cooperativeMatrices = queryMatrixShapes(instance, device);
  info.heaps = queryHeaps(device, info.features.memoryBudget);
  const bool sharesMemory = info.type == DeviceType::cpu || info.type == DeviceType::integrated;
  info.unifiedMemory = sharesMemory && canMapDeviceMemory(device);
  return info;
}

}  // namespace orthros::vulkan
