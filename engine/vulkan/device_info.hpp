// What a physical device is and can do, as plain data: what kernels choose variants from and front ends show.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.hpp"

namespace orthros::vulkan {

enum class DeviceType { discrete, integrated, virtualGpu, cpu, other };

// The type's name as it appears in JSON.
const char* deviceTypeName(DeviceType type);

struct DeviceLimits {
  uint64_t maxStorageBufferRange = 0;       // bytes one storage binding may cover
  uint64_t maxTexelBufferElements = 0;      // texels one texel binding may cover
  uint64_t maxBufferBytes = 0;              // bytes of one buffer and its memory
  uint32_t maxPushConstantsSize = 0;        // bytes
  uint32_t maxPushDescriptors = 0;          // 0 without VK_KHR_push_descriptor
  uint32_t maxComputeSharedMemorySize = 0;  // bytes
  uint32_t maxComputeWorkGroupInvocations = 0;
  uint32_t maxComputeWorkGroupCount[3] = {};
  uint32_t maxComputeWorkGroupSize[3] = {};
  uint64_t minStorageBufferOffsetAlignment = 1;  // bytes
  uint64_t minTexelBufferOffsetAlignment = 1;    // bytes
  uint32_t timestampValidBits = 0;               // of the compute queue; 0: no timestamps
  double timestampPeriodNs = 0;                  // ns per tick
  uint32_t processors = 0;                       // that run workgroups; 0 where the driver does not say
  uint32_t subgroupSize = 0;                     // the default size
  uint32_t minSubgroupSize = 0;                  // equals subgroupSize without subgroup size control
  uint32_t maxSubgroupSize = 0;
};

struct DeviceFeatures {
  bool storageBuffer16BitAccess = false;
  bool uniformAndStorageBuffer16BitAccess = false;
  bool storagePushConstant16 = false;
  bool storageBuffer8BitAccess = false;
  bool uniformAndStorageBuffer8BitAccess = false;
  bool storagePushConstant8 = false;
  bool shaderFloat16 = false;
  bool shaderInt8 = false;
  bool shaderInt16 = false;
  bool shaderInt64 = false;
  bool scalarBlockLayout = false;
  bool vulkanMemoryModel = false;
  bool vulkanMemoryModelDeviceScope = false;
  bool timelineSemaphore = false;
  bool subgroupExtendedTypes = false;  // subgroup operations on 8, 16 and 64 bit types
  bool subgroupBasic = false;          // subgroup operations in compute shaders
  bool subgroupVote = false;
  bool subgroupArithmetic = false;
  bool subgroupBallot = false;
  bool subgroupShuffle = false;
  bool subgroupShuffleRelative = false;
  bool subgroupClustered = false;
  bool subgroupSizeControl = false;  // a pipeline may require a subgroup size
  bool computeFullSubgroups = false;
  bool pushDescriptor = false;
  bool maintenance4 = false;
  bool integerDotProduct = false;
  bool integerDotProductAccelerated8Bit = false;  // 4 x 8-bit packed signed dot products are fast
  bool memoryBudget = false;
  bool cooperativeMatrixKhr = false;
  bool cooperativeMatrix2Nv = false;
  bool bfloat16 = false;
  bool bfloat16CooperativeMatrix = false;
};

// One matrix shape of VK_KHR_cooperative_matrix: C (m x n) = A (m x k) * B (k x n) + C. Types: "f16", "f32",
// "s8", ...
struct CooperativeMatrixShape {
  uint32_t m = 0, n = 0, k = 0;
  std::string aType, bType, cType, resultType;
  bool saturating = false;
  std::string scope;  // "subgroup", "workgroup", ...
};

struct MemoryHeap {
  uint64_t bytes = 0;
  bool deviceLocal = false;
  bool hostVisible = false;  // some memory type of this heap can be mapped
  uint64_t budgetBytes = 0;  // what this process may use; equals bytes without VK_EXT_memory_budget
  uint64_t usedBytes = 0;    // what this process uses already; 0 without VK_EXT_memory_budget
};

struct DeviceInfo {
  uint32_t index = 0;  // in the loader's order; with uuid it finds the device again
  std::string name;
  DeviceType type = DeviceType::other;
  std::string uuid;        // 32 hex digits
  std::string driverUuid;  // 32 hex digits; changes with the driver's build
  std::string driverName;
  std::string driverVersion;  // as the driver words it
  uint32_t vendorId = 0;
  uint32_t deviceId = 0;
  uint32_t apiMajor = 0, apiMinor = 0, apiPatch = 0;
  uint32_t queueFamily = 0;    // the compute queue family that Device::open uses
  bool unifiedMemory = false;  // device buffers can be mapped: CPU and integrated devices
  DeviceLimits limits;
  DeviceFeatures features;
  std::vector<CooperativeMatrixShape> cooperativeMatrices;
  std::vector<MemoryHeap> heaps;

  bool isCpu() const { return type == DeviceType::cpu; }
  // The size of the largest device-local heap in bytes, and what this process may use of it now.
  uint64_t deviceMemoryBytes() const;
  uint64_t deviceBudgetBytes() const;
};

nlohmann::json toJson(const DeviceInfo& info);

// The device with this uuid (case and hyphens do not matter); with an empty one the best: discrete before
// integrated, virtual, other and CPU, then the one with more memory. Errors: notFound, naming what exists.
Result<DeviceInfo> chooseDevice(std::span<const DeviceInfo> devices, std::string_view uuid);

}  // namespace orthros::vulkan
