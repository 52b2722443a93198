#include "engine/vulkan/device_info.hpp"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

namespace orthros::vulkan {
namespace {

struct FeatureName {
  const char* name;
  bool DeviceFeatures::*value;
};

#define ORTHROS_FEATURE(name) \
  { #name, &DeviceFeatures::name }
constexpr FeatureName featureNames[] = {
    ORTHROS_FEATURE(storageBuffer16BitAccess),
    ORTHROS_FEATURE(uniformAndStorageBuffer16BitAccess),
    ORTHROS_FEATURE(storagePushConstant16),
    ORTHROS_FEATURE(storageBuffer8BitAccess),
    ORTHROS_FEATURE(uniformAndStorageBuffer8BitAccess),
    ORTHROS_FEATURE(storagePushConstant8),
    ORTHROS_FEATURE(shaderFloat16),
    ORTHROS_FEATURE(shaderInt8),
    ORTHROS_FEATURE(shaderInt16),
    ORTHROS_FEATURE(shaderInt64),
    ORTHROS_FEATURE(scalarBlockLayout),
    ORTHROS_FEATURE(vulkanMemoryModel),
    ORTHROS_FEATURE(vulkanMemoryModelDeviceScope),
    ORTHROS_FEATURE(timelineSemaphore),
    ORTHROS_FEATURE(subgroupExtendedTypes),
    ORTHROS_FEATURE(subgroupBasic),
    ORTHROS_FEATURE(subgroupVote),
    ORTHROS_FEATURE(subgroupArithmetic),
    ORTHROS_FEATURE(subgroupBallot),
    ORTHROS_FEATURE(subgroupShuffle),
    ORTHROS_FEATURE(subgroupShuffleRelative),
    ORTHROS_FEATURE(subgroupClustered),
    ORTHROS_FEATURE(subgroupSizeControl),
    ORTHROS_FEATURE(computeFullSubgroups),
    ORTHROS_FEATURE(pushDescriptor),
    ORTHROS_FEATURE(maintenance4),
    ORTHROS_FEATURE(integerDotProduct),
    ORTHROS_FEATURE(integerDotProductAccelerated8Bit),
    ORTHROS_FEATURE(memoryBudget),
    ORTHROS_FEATURE(cooperativeMatrixKhr),
    ORTHROS_FEATURE(cooperativeMatrix2Nv),
    ORTHROS_FEATURE(bfloat16),
    ORTHROS_FEATURE(bfloat16CooperativeMatrix),
};
#undef ORTHROS_FEATURE
// A feature is one bool, so a forgotten name shows here.
static_assert(std::size(featureNames) == sizeof(DeviceFeatures));

nlohmann::json limitsToJson(const DeviceLimits& limits) {
  return {{"maxStorageBufferRange", limits.maxStorageBufferRange},
          {"maxTexelBufferElements", limits.maxTexelBufferElements},
          {"maxBufferBytes", limits.maxBufferBytes},
          {"maxPushConstantsSize", limits.maxPushConstantsSize},
          {"maxPushDescriptors", limits.maxPushDescriptors},
          {"maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize},
          {"maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations},
          {"maxComputeWorkGroupCount", limits.maxComputeWorkGroupCount},
          {"maxComputeWorkGroupSize", limits.maxComputeWorkGroupSize},
          {"minStorageBufferOffsetAlignment", limits.minStorageBufferOffsetAlignment},
          {"minTexelBufferOffsetAlignment", limits.minTexelBufferOffsetAlignment},
          {"timestampValidBits", limits.timestampValidBits},
          {"timestampPeriodNs", limits.timestampPeriodNs},
          {"processors", limits.processors},
          {"subgroupSize", limits.subgroupSize},
          {"minSubgroupSize", limits.minSubgroupSize},
          {"maxSubgroupSize", limits.maxSubgroupSize}};
}

nlohmann::json shapesToJson(std::span<const CooperativeMatrixShape> shapes) {
  auto list = nlohmann::json::array();
  for (const auto& shape : shapes) {
    list.push_back({{"m", shape.m},
                    {"n", shape.n},
                    {"k", shape.k},
                    {"a", shape.aType},
                    {"b", shape.bType},
                    {"c", shape.cType},
                    {"result", shape.resultType},
                    {"saturating", shape.saturating},
                    {"scope", shape.scope}});
  }
  return list;
}

nlohmann::json heapsToJson(std::span<const MemoryHeap> heaps) {
  auto list = nlohmann::json::array();
  for (const auto& heap : heaps) {
    list.push_back({{"bytes", heap.bytes},
                    {"deviceLocal", heap.deviceLocal},
                    {"hostVisible", heap.hostVisible},
                    {"budgetBytes", heap.budgetBytes},
                    {"usedBytes", heap.usedBytes}});
  }
  return list;
}

const MemoryHeap* largestDeviceHeap(const DeviceInfo& info) {
  const MemoryHeap* largest = nullptr;
  for (const auto& heap : info.heaps) {
    if (heap.deviceLocal && (!largest || heap.bytes > largest->bytes)) largest = &heap;
  }
  return largest;
}

std::string normalizedUuid(std::string_view uuid) {
  std::string digits;
  for (const char c : uuid) {
    if (c != '-') digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return digits;
}

int preference(DeviceType type) {
  switch (type) {
    case DeviceType::discrete:
      return 4;
    case DeviceType::integrated:
      return 3;
    case DeviceType::virtualGpu:
      return 2;
    case DeviceType::other:
      return 1;
    case DeviceType::cpu:
      return 0;
  }
  return 0;
}

bool isWorse(const DeviceInfo& a, const DeviceInfo& b) {
  const auto rank = [](const DeviceInfo& info) {
    return std::pair(preference(info.type), info.deviceMemoryBytes());
  };
  return rank(a) < rank(b);
}

}  // namespace

const char* deviceTypeName(DeviceType type) {
  switch (type) {
    case DeviceType::discrete:
      return "discrete";
    case DeviceType::integrated:
      return "integrated";
    case DeviceType::virtualGpu:
      return "virtual";
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::other:
      return "other";
  }
  return "other";
}

uint64_t DeviceInfo::deviceMemoryBytes() const {
  const MemoryHeap* heap = largestDeviceHeap(*this);
  return heap ? heap->bytes : 0;
}

uint64_t DeviceInfo::deviceBudgetBytes() const {
  const MemoryHeap* heap = largestDeviceHeap(*this);
  return heap ? heap->budgetBytes : 0;
}

nlohmann::json toJson(const DeviceInfo& info) {
  nlohmann::json features;
  for (const auto& feature : featureNames) features[feature.name] = info.features.*feature.value;
  const auto api = std::to_string(info.apiMajor) + '.' + std::to_string(info.apiMinor) + '.' +
                   std::to_string(info.apiPatch);
  return {{"index", info.index},
          {"name", info.name},
          {"type", deviceTypeName(info.type)},
          {"uuid", info.uuid},
          {"driverUuid", info.driverUuid},
          {"driverName", info.driverName},
          {"driverVersion", info.driverVersion},
          {"vendorId", info.vendorId},
          {"deviceId", info.deviceId},
          {"apiVersion", api},
          {"queueFamily", info.queueFamily},
          {"unifiedMemory", info.unifiedMemory},
          {"limits", limitsToJson(info.limits)},
          {"features", features},
          {"cooperativeMatrices", shapesToJson(info.cooperativeMatrices)},
          {"heaps", heapsToJson(info.heaps)}};
}

Result<DeviceInfo> chooseDevice(std::span<const DeviceInfo> devices, std::string_view uuid) {
  if (devices.empty()) {
    return fail(
        ErrorCode::notFound, "Vulkan device", "there is none with Vulkan 1.2 and a compute queue",
        "Install the Vulkan driver of your graphics card, or mesa-vulkan-drivers to run on the processor");
  }
  // The first of equals wins: the loader lists the desktop's own choice first.
  if (uuid.empty()) return *std::max_element(devices.begin(), devices.end(), isWorse);
  const std::string wanted = normalizedUuid(uuid);
  std::string known;
  for (const auto& device : devices) {
    if (device.uuid == wanted) return device;
    known += (known.empty() ? "" : ", ") + device.uuid + " (" + device.name + ")";
  }
  return fail(ErrorCode::notFound, "device " + std::string(uuid), "is not among the Vulkan devices",
              "Choose one of: " + known);
}

}  // namespace orthros::vulkan
