// The Vulkan instance: the loader's entry point, the physical devices, the validation layer's messages.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device_info.hpp"

namespace orthros::vulkan {

// A warning or an error of the validation layer.
struct ValidationMessage {
  bool error = false;
  std::string id;  // "SYNC-HAZARD-WRITE-AFTER-WRITE", a VUID, ...
  std::string text;
};

struct InstanceOptions {
  bool validation = false;  // VK_LAYER_KHRONOS_validation with synchronisation validation; slow
  // Called for every message, on whichever thread made the Vulkan call; must not call Vulkan.
  std::function<void(const ValidationMessage&)> onMessage = {};
};

class Instance {
 public:
  // Errors: notFound without a Vulkan driver, or without the layer that `validation` asks for.
  static Result<std::shared_ptr<Instance>> create(const InstanceOptions& options = {});
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  // Every device with Vulkan 1.2 and a compute queue, CPU implementations too, in the loader's order. Memory
  // budgets are of the moment of the call.
  Result<std::vector<DeviceInfo>> devices() const;

  // The messages collected since the instance exists. Empty without validation. Any thread.
  std::vector<ValidationMessage> validationMessages() const;

  VkInstance handle() const { return instance_; }
  Result<VkPhysicalDevice> physicalDevice(const DeviceInfo& info) const;
  bool validates() const { return options_.validation; }
  bool hasDebugUtils() const { return hasDebugUtils_; }

 private:
  explicit Instance(InstanceOptions options) : options_(std::move(options)) {}
  Status createInstance();
  Result<std::vector<const char*>> chooseExtensions();
  Status createMessenger();
  Result<std::vector<VkPhysicalDevice>> physicalDevices() const;
  static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                VkDebugUtilsMessageTypeFlagsEXT types,
                                                const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);

  InstanceOptions options_;
  bool hasDebugUtils_ = false;
  bool enumeratesPortability_ = false;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  mutable std::mutex messagesMutex_;
  std::vector<ValidationMessage> messages_;
};

}  // namespace orthros::vulkan
