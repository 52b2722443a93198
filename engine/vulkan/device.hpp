// A logical device and its one compute queue.
//
// Threads: one thread owns a Device and everything made from it (buffers, recorders, submissions, transfers).
// Exceptions: Pipeline::create, lost(), allocatedBytes() and info() may be called from any thread.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/instance.hpp"

namespace orthros::vulkan {

// What memory is for; the accounts of RunRecord.
enum class MemoryCategory { weights, kv, workspace, staging };
inline constexpr size_t memoryCategoryCount = 4;
const char* memoryCategoryName(MemoryCategory category);

// A request for device memory, as a test sees it.
struct AllocationRequest {
  std::string name = {};
  uint64_t bytes = 0;
  MemoryCategory category = MemoryCategory::workspace;
};

struct DeviceOptions {
  bool pushDescriptors = true;  // use VK_KHR_push_descriptor where the device has it
  // On devices that share the host's memory, map MemoryKind::device too. Off, such a device acts like a
  // discrete one.
  bool mapDeviceBuffers = true;
  // Asked before every allocation; false refuses it as if memory had run out. For tests.
  std::function<bool(const AllocationRequest&)> mayAllocate = {};
};

// Extension entry points; null where the device lacks the extension.
struct DeviceFunctions {
  PFN_vkCmdPushDescriptorSetKHR cmdPushDescriptorSet = nullptr;
  PFN_vkSetDebugUtilsObjectNameEXT setObjectName = nullptr;
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  // Opens `info` with every feature that DeviceInfo lists. Errors: notFound, outOfMemory, deviceLost,
  // unsupported.
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<Instance> instance, const DeviceInfo& info,
                                              const DeviceOptions& options = {});
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();  // waits until the queue is idle

  const DeviceInfo& info() const { return info_; }
  const std::shared_ptr<Instance>& instance() const { return instance_; }
  const DeviceFunctions& functions() const { return functions_; }
  bool mapsDeviceBuffers() const { return options_.mapDeviceBuffers && info_.unifiedMemory; }
  bool usesPushDescriptors() const { return functions_.cmdPushDescriptorSet != nullptr; }
  VkDevice handle() const { return device_; }
  VkPhysicalDevice physicalDevice() const { return physicalDevice_; }
  VkQueue queue() const { return queue_; }

  // Sticky: once lost, every submission fails with ErrorCode::deviceLost; open a new Device to go on.
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  // From now on the device counts as lost. Called on VK_ERROR_DEVICE_LOST; a test may call it too.
  void markLost() { lost_.store(true, std::memory_order_relaxed); }
  // An error once lost.
  Status checkAlive() const;
  // The error for a failed Vulkan call; remembers a lost device. `action` continues "could not".
  Error fault(VkResult result, std::string subject, const std::string& action);

  Status waitIdle();

  // Bytes of device memory held by buffers now.
  uint64_t allocatedBytes() const;
  uint64_t allocatedBytes(MemoryCategory category) const;
  // Heaps with the budget of this moment.
  std::vector<MemoryHeap> memoryHeaps() const;

  // For Buffer: memory of its own. Of `preferences`, property flags, the first that the device can give is
  // taken.
  struct Memory {
    VkDeviceMemory handle = VK_NULL_HANDLE;
    VkMemoryPropertyFlags flags = 0;
    uint64_t bytes = 0;
  };
  Result<Memory> allocate(const VkMemoryRequirements& requirements,
                          std::span<const VkMemoryPropertyFlags> preferences,
                          const AllocationRequest& request);
  void release(const Memory& memory, MemoryCategory category);
  // Names a handle for the validation layer and debuggers.
  void setObjectName(VkObjectType type, uint64_t object, const std::string& name) const;
  template <class Handle>
  void setObjectName(VkObjectType type, Handle* object, const std::string& name) const {
    setObjectName(type, reinterpret_cast<uint64_t>(object), name);
  }

 private:
  Device(std::shared_ptr<Instance> instance, DeviceInfo info, DeviceOptions options);
  Status createDevice();
  void loadFunctions();
  std::optional<uint32_t> findMemoryType(uint32_t allowedTypes,
                                         std::span<const VkMemoryPropertyFlags> preferences) const;

  std::shared_ptr<Instance> instance_;
  DeviceInfo info_;
  DeviceOptions options_;
  DeviceFunctions functions_;
  VkPhysicalDevice physicalDevice_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memoryProperties_{};
  std::atomic<bool> lost_ = false;
  std::array<std::atomic<uint64_t>, memoryCategoryCount> allocated_{};
};

}  // namespace orthros::vulkan
