// Asks a physical device for its DeviceInfo.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device_info.hpp"

namespace orthros::vulkan {

inline constexpr uint32_t minimumApiVersion = VK_API_VERSION_1_2;

// Errors: unsupported below Vulkan 1.2 or without a compute queue.
Result<DeviceInfo> queryDevice(VkInstance instance, VkPhysicalDevice device, uint32_t index);

// 32 hex digits.
std::string deviceUuid(VkPhysicalDevice device);

std::vector<MemoryHeap> queryHeaps(VkPhysicalDevice device, bool hasBudgetExtension);

// The queue family for compute: one without graphics before others (a desktop shares the graphics queue), one
// with timestamps before others.
std::optional<uint32_t> chooseQueueFamily(std::span<const VkQueueFamilyProperties> families);

}  // namespace orthros::vulkan
