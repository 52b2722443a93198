// From VkResult to Error.
#pragma once

#include <string>

#include <vulkan/vulkan.h>

#include "engine/base/error.hpp"

namespace orthros::vulkan {

// "VK_ERROR_DEVICE_LOST", ...; "VkResult" for values that the header does not know.
const char* resultName(VkResult result);

// `action` continues "could not": "create the pipeline".
Error vulkanError(VkResult result, std::string subject, const std::string& action);

}  // namespace orthros::vulkan
