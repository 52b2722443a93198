#include "engine/vulkan/instance.hpp"

#include <algorithm>
#include <cstring>

#include "engine/base/log.hpp"
#include "engine/vulkan/device_query.hpp"
#include "engine/vulkan/enumerate.hpp"
#include "engine/vulkan/vulkan_error.hpp"

namespace orthros::vulkan {
namespace {

const char* const validationLayer = "VK_LAYER_KHRONOS_validation";
constexpr size_t maxCollectedMessages = 1000;

// The instance extensions of the loader and the drivers, or those of one layer.
std::vector<VkExtensionProperties> instanceExtensions(const char* layer) {
  std::vector<VkExtensionProperties> properties;
  enumerateAll(properties, [&](uint32_t* count, VkExtensionProperties* items) {
    return vkEnumerateInstanceExtensionProperties(layer, count, items);
  });
  return properties;
}

bool contains(std::span<const VkExtensionProperties> extensions, const char* name) {
  return std::any_of(extensions.begin(), extensions.end(), [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

bool hasLayer(const char* name) {
  std::vector<VkLayerProperties> layers;
  enumerateAll(layers, vkEnumerateInstanceLayerProperties);
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

VkDebugUtilsMessengerCreateInfoEXT messengerInfo(PFN_vkDebugUtilsMessengerCallbackEXT callback, void* self) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
  info.pfnUserCallback = callback;
  info.pUserData = self;
  return info;
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::create(const InstanceOptions& options) {
  std::shared_ptr<Instance> instance(new Instance(options));
  ORTHROS_TRY(instance->createInstance());
  ORTHROS_TRY(instance->createMessenger());
  return instance;
}

Instance::~Instance() {
  if (messenger_) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance_, messenger_, nullptr);
  }
  if (instance_) vkDestroyInstance(instance_, nullptr);
}

Status Instance::createInstance() {
  uint32_t loaderVersion = 0;
  if (vkEnumerateInstanceVersion(&loaderVersion) != VK_SUCCESS || loaderVersion < minimumApiVersion) {
    return fail(ErrorCode::unsupported, "Vulkan loader", "is older than version 1.2", "Update libvulkan1");
  }
  ORTHROS_ASSIGN(const auto extensions, chooseExtensions());
  const VkValidationFeatureEnableEXT synchronisation =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  const auto messenger = messengerInfo(&Instance::receive, this);
  VkValidationFeaturesEXT validation{};
  validation.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  validation.pNext = hasDebugUtils_ ? &messenger : nullptr;
  validation.enabledValidationFeatureCount = 1;
  validation.pEnabledValidationFeatures = &synchronisation;

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "orthros";
  application.pEngineName = "orthros";
  application.apiVersion = std::min(loaderVersion, static_cast<uint32_t>(VK_API_VERSION_1_3));

  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = options_.validation ? &validation : nullptr;
  info.flags = enumeratesPortability_ ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = options_.validation ? 1 : 0;
  info.ppEnabledLayerNames = &validationLayer;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult result = vkCreateInstance(&info, nullptr, &instance_);
  if (result == VK_SUCCESS) return {};
  instance_ = VK_NULL_HANDLE;
  return fail(vulkanError(result, "Vulkan", "start"));
}

Result<std::vector<const char*>> Instance::chooseExtensions() {
  std::vector<const char*> chosen;
  const auto chooseFrom = [&](std::span<const VkExtensionProperties> available, const char* name) {
    const bool found = contains(available, name);
    if (found) chosen.push_back(name);
    return found;
  };
  const auto general = instanceExtensions(nullptr);
  enumeratesPortability_ = chooseFrom(general, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
  hasDebugUtils_ = chooseFrom(general, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (!options_.validation) return chosen;
  if (!hasLayer(validationLayer)) {
    return fail(ErrorCode::notFound, validationLayer, "is not installed", "Install vulkan-validationlayers");
  }
  const auto ofLayer = instanceExtensions(validationLayer);
  chooseFrom(ofLayer, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  if (!hasDebugUtils_) hasDebugUtils_ = chooseFrom(ofLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  return chosen;
}

Status Instance::createMessenger() {
  if (!options_.validation || !hasDebugUtils_) return {};
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  const auto info = messengerInfo(&Instance::receive, this);
  const VkResult result =
      create ? create(instance_, &info, nullptr, &messenger_) : VK_ERROR_EXTENSION_NOT_PRESENT;
  if (result != VK_SUCCESS) return fail(vulkanError(result, validationLayer, "listen to its messages"));
  return {};
}

VKAPI_ATTR VkBool32 VKAPI_CALL Instance::receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                 void* self) {
  // General messages are the loader's remarks about drivers, not faults of the program.
  if (!(types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)) {
    log::debug("Vulkan loader: {}", data->pMessage);
    return VK_FALSE;
  }
  Instance& instance = *static_cast<Instance*>(self);
  const ValidationMessage message{severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                  data->pMessageIdName ? data->pMessageIdName : "", data->pMessage};
  {
    const std::lock_guard lock(instance.messagesMutex_);
    if (instance.messages_.size() < maxCollectedMessages) instance.messages_.push_back(message);
  }
  if (instance.options_.onMessage) instance.options_.onMessage(message);
  return VK_FALSE;
}

std::vector<ValidationMessage> Instance::validationMessages() const {
  const std::lock_guard lock(messagesMutex_);
  return messages_;
}

Result<std::vector<VkPhysicalDevice>> Instance::physicalDevices() const {
  std::vector<VkPhysicalDevice> devices;
  const VkResult result = enumerateAll(devices, [this](uint32_t* count, VkPhysicalDevice* items) {
    return vkEnumeratePhysicalDevices(instance_, count, items);
  });
  // A loader whose drivers all failed to start reports this instead of an empty list.
  if (result == VK_ERROR_INITIALIZATION_FAILED) return std::vector<VkPhysicalDevice>();
  if (result != VK_SUCCESS) return fail(vulkanError(result, "Vulkan", "list the devices"));
  return devices;
}

Result<std::vector<DeviceInfo>> Instance::devices() const {
  ORTHROS_ASSIGN(const auto handles, physicalDevices());
  std::vector<DeviceInfo> infos;
  for (uint32_t i = 0; i < handles.size(); ++i) {
    auto info = queryDevice(instance_, handles[i], i);
    if (info) {
      infos.push_back(std::move(*info));
    } else {
      log::debug("skipped a Vulkan device: {}", info.error().message());
    }
  }
  return infos;
}

Result<VkPhysicalDevice> Instance::physicalDevice(const DeviceInfo& info) const {
  ORTHROS_ASSIGN(const auto handles, physicalDevices());
  if (info.index < handles.size() && deviceUuid(handles[info.index]) == info.uuid) return handles[info.index];
  for (const VkPhysicalDevice handle : handles) {
    if (deviceUuid(handle) == info.uuid) return handle;
  }
  return fail(ErrorCode::notFound, info.name, "is no longer there", "List the devices again");
}

}  // namespace orthros::vulkan
