#include "engine/vulkan/vulkan_error.hpp"

namespace orthros::vulkan {
namespace {

struct Meaning {
  ErrorCode code;
  const char* nextStep;
};

Meaning meaningOf(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_TOO_MANY_OBJECTS:
      return {ErrorCode::outOfMemory,
              "Close other programs that use the device, or choose a smaller model or context"};
    case VK_ERROR_DEVICE_LOST:
      return {ErrorCode::deviceLost, "Open the device again; if it happens again, update its driver"};
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return {
          ErrorCode::notFound,
          "Install the Vulkan driver of your graphics card, or mesa-vulkan-drivers to run on the processor"};
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return {ErrorCode::unsupported, "Choose another device or update its driver"};
    default:
      return {ErrorCode::internal, ""};
  }
}

}  // namespace

const char* resultName(VkResult result) {
#define ORTHROS_RESULT_NAME(name) \
  case name:                      \
    return #name
  switch (result) {
    ORTHROS_RESULT_NAME(VK_SUCCESS);
    ORTHROS_RESULT_NAME(VK_NOT_READY);
    ORTHROS_RESULT_NAME(VK_TIMEOUT);
    ORTHROS_RESULT_NAME(VK_INCOMPLETE);
    ORTHROS_RESULT_NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
    ORTHROS_RESULT_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    ORTHROS_RESULT_NAME(VK_ERROR_INITIALIZATION_FAILED);
    ORTHROS_RESULT_NAME(VK_ERROR_DEVICE_LOST);
    ORTHROS_RESULT_NAME(VK_ERROR_MEMORY_MAP_FAILED);
    ORTHROS_RESULT_NAME(VK_ERROR_LAYER_NOT_PRESENT);
    ORTHROS_RESULT_NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
    ORTHROS_RESULT_NAME(VK_ERROR_FEATURE_NOT_PRESENT);
    ORTHROS_RESULT_NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
    ORTHROS_RESULT_NAME(VK_ERROR_TOO_MANY_OBJECTS);
    ORTHROS_RESULT_NAME(VK_ERROR_FORMAT_NOT_SUPPORTED);
    ORTHROS_RESULT_NAME(VK_ERROR_FRAGMENTED_POOL);
    ORTHROS_RESULT_NAME(VK_ERROR_OUT_OF_POOL_MEMORY);
    ORTHROS_RESULT_NAME(VK_ERROR_UNKNOWN);
    default:
      return "VkResult";
  }
#undef ORTHROS_RESULT_NAME
}

Error vulkanError(VkResult result, std::string subject, const std::string& action) {
  const Meaning meaning = meaningOf(result);
  return {meaning.code, std::move(subject),
          "could not " + action + " (" + resultName(result) + ", " + std::to_string(result) + ")",
          meaning.nextStep};
}

}  // namespace orthros::vulkan
