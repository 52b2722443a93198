#include "engine/vulkan/device.hpp"

#include "engine/base/log.hpp"
#include "engine/vulkan/device_query.hpp"
#include "engine/vulkan/feature_chain.hpp"
#include "engine/vulkan/vulkan_error.hpp"

namespace orthros::vulkan {

const char* memoryCategoryName(MemoryCategory category) {
  switch (category) {
    case MemoryCategory::weights:
      return "weights";
    case MemoryCategory::kv:
      return "kv";
    case MemoryCategory::workspace:
      return "workspace";
    case MemoryCategory::staging:
      return "staging";
  }
  return "workspace";
}

Result<std::shared_ptr<Device>> Device::open(std::shared_ptr<Instance> instance, const DeviceInfo& info,
                                             const DeviceOptions& options) {
  std::shared_ptr<Device> device(new Device(std::move(instance), info, options));
  ORTHROS_ASSIGN(device->physicalDevice_, device->instance_->physicalDevice(info));
  ORTHROS_TRY(device->createDevice());
  device->loadFunctions();
  return device;
}

Device::Device(std::shared_ptr<Instance> instance, DeviceInfo info, DeviceOptions options)
    : instance_(std::move(instance)), info_(std::move(info)), options_(std::move(options)) {}

Device::~Device() {
  if (!device_) return;
  vkDeviceWaitIdle(device_);
  vkDestroyDevice(device_, nullptr);
}

Status Device::createDevice() {
  ORTHROS_ASSIGN(const ExtensionSet extensions, deviceExtensions(physicalDevice_));
  const uint32_t apiVersion = VK_MAKE_API_VERSION(0, info_.apiMajor, info_.apiMinor, info_.apiPatch);
  FeatureChain found(apiVersion, extensions);
  found.query(physicalDevice_);
  const auto names = usedExtensions(extensions);
  FeatureChain used(apiVersion, ExtensionSet(names.begin(), names.end()));
  used.enableUsed(found);

  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = info_.queueFamily;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = used.head();
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = static_cast<uint32_t>(names.size());
  create.ppEnabledExtensionNames = names.data();
  const VkResult result = vkCreateDevice(physicalDevice_, &create, nullptr, &device_);
  if (result != VK_SUCCESS) {
    device_ = VK_NULL_HANDLE;
    return fail(vulkanError(result, info_.name, "open the device"));
  }
  vkGetDeviceQueue(device_, info_.queueFamily, 0, &queue_);
  vkGetPhysicalDeviceMemoryProperties(physicalDevice_, &memoryProperties_);
  return {};
}

void Device::loadFunctions() {
  if (options_.pushDescriptors && info_.features.pushDescriptor) {
    functions_.cmdPushDescriptorSet = reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(
        vkGetDeviceProcAddr(device_, "vkCmdPushDescriptorSetKHR"));
  }
  if (instance_->hasDebugUtils()) {
    functions_.setObjectName = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        vkGetInstanceProcAddr(instance_->handle(), "vkSetDebugUtilsObjectNameEXT"));
  }
}

Status Device::checkAlive() const {
  if (!lost()) return {};
  return fail(vulkanError(VK_ERROR_DEVICE_LOST, info_.name, "go on with the device"));
}

Error Device::fault(VkResult result, std::string subject, const std::string& action) {
  if (result == VK_ERROR_DEVICE_LOST && !lost()) {
    markLost();
    log::error("{}: the device was lost; could not {}", info_.name, action);
  }
  return vulkanError(result, std::move(subject), action);
}

Status Device::waitIdle() {
  ORTHROS_TRY(checkAlive());
  const VkResult result = vkQueueWaitIdle(queue_);
  if (result != VK_SUCCESS) return fail(fault(result, info_.name, "wait for the queue"));
  return {};
}

uint64_t Device::allocatedBytes() const {
  uint64_t total = 0;
  for (const auto& bytes : allocated_) total += bytes.load(std::memory_order_relaxed);
  return total;
}

uint64_t Device::allocatedBytes(MemoryCategory category) const {
  return allocated_[static_cast<size_t>(category)].load(std::memory_order_relaxed);
}

std::vector<MemoryHeap> Device::memoryHeaps() const {
  return queryHeaps(physicalDevice_, info_.features.memoryBudget);
}

std::optional<uint32_t> Device::findMemoryType(uint32_t allowedTypes,
                                               std::span<const VkMemoryPropertyFlags> preferences) const {
  for (const VkMemoryPropertyFlags wanted : preferences) {
    for (uint32_t i = 0; i < memoryProperties_.memoryTypeCount; ++i) {
      const bool allowed = allowedTypes & (1u << i);
      if (allowed && (memoryProperties_.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    }
  }
  return std::nullopt;
}

Result<Device::Memory> Device::allocate(const VkMemoryRequirements& requirements,
                                        std::span<const VkMemoryPropertyFlags> preferences,
                                        const AllocationRequest& request) {
  const std::string action = "allocate " + std::to_string(request.bytes) + " bytes of device memory (" +
                             memoryCategoryName(request.category) + ")";
  const auto type = findMemoryType(requirements.memoryTypeBits, preferences);
  if (!type) return fail(vulkanError(VK_ERROR_FEATURE_NOT_PRESENT, request.name, action));
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = *type;
  Memory memory;
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (!options_.mayAllocate || options_.mayAllocate(request)) {
    result = vkAllocateMemory(device_, &info, nullptr, &memory.handle);
  }
  if (result != VK_SUCCESS) return fail(fault(result, request.name, action));
  memory.flags = memoryProperties_.memoryTypes[*type].propertyFlags;
  memory.bytes = requirements.size;
  allocated_[static_cast<size_t>(request.category)] += memory.bytes;
  return memory;
}

void Device::release(const Memory& memory, MemoryCategory category) {
  if (!memory.handle) return;
  vkFreeMemory(device_, memory.handle, nullptr);
  allocated_[static_cast<size_t>(category)] -= memory.bytes;
}

void Device::setObjectName(VkObjectType type, uint64_t object, const std::string& name) const {
  if (!functions_.setObjectName) return;
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name.c_str();
  functions_.setObjectName(device_, &info);
}

}  // namespace orthros::vulkan
