#include <cstdlib>
#include <thread>

#include <nlohmann/json.hpp>

#include "engine/vulkan/device_query.hpp"
#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

DeviceInfo deviceWith(const char* uuid, DeviceType type, uint64_t bytes) {
  DeviceInfo info;
  info.name = std::string("device ") + uuid;
  info.uuid = uuid;
  info.type = type;
  info.heaps = {{.bytes = bytes, .deviceLocal = true, .budgetBytes = bytes / 2}, {.bytes = 1ull << 40}};
  return info;
}

TEST(ChooseDevice, PrefersTheKindAndThenTheMemory) {
  const DeviceInfo cpu = deviceWith("c0", DeviceType::cpu, 64),
                   integrated = deviceWith("10", DeviceType::integrated, 32);
  const DeviceInfo virtualGpu = deviceWith("70", DeviceType::virtualGpu, 48);
  const DeviceInfo small = deviceWith("d1", DeviceType::discrete, 8),
                   large = deviceWith("d2", DeviceType::discrete, 16);
  const std::vector<DeviceInfo> all = {cpu, virtualGpu, integrated, small, large};
  for (size_t count = all.size(); count > 0; --count) {
    const auto chosen = chooseDevice(std::span(all).first(count), "");
    ORTHROS_ASSERT_OK(chosen);
    EXPECT_EQ(chosen->uuid, all[count - 1].uuid);
  }
  EXPECT_EQ(large.deviceMemoryBytes(), 16u);
  EXPECT_EQ(large.deviceBudgetBytes(), 8u);
}

TEST(ChooseDevice, TakesTheFirstOfEquals) {
  const std::vector<DeviceInfo> twins = {deviceWith("a1", DeviceType::discrete, 8),
                                         deviceWith("a2", DeviceType::discrete, 8)};
  EXPECT_EQ(chooseDevice(twins, "")->uuid, "a1");
}

TEST(ChooseDevice, FindsAUuidHoweverItIsWritten) {
  const std::vector<DeviceInfo> list = {deviceWith("00aabb", DeviceType::discrete, 8),
                                        deviceWith("00aabc", DeviceType::cpu, 8)};
  EXPECT_EQ(chooseDevice(list, "00AA-bc")->uuid, "00aabc");
  const auto unknown = chooseDevice(list, "00aa");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::notFound);
  EXPECT_NE(unknown.error().message().find("00aabb (device 00aabb)"), std::string::npos);
  EXPECT_NE(unknown.error().message().find("00aabc"), std::string::npos);
}

TEST(ChooseDevice, SaysWhatToInstallWhenThereIsNone) {
  const auto none = chooseDevice({}, "");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::notFound);
  EXPECT_NE(none.error().nextStep.find("mesa-vulkan-drivers"), std::string::npos);
}

VkQueueFamilyProperties family(VkQueueFlags flags, uint32_t timestampBits) {
  VkQueueFamilyProperties properties{};
  properties.queueFlags = flags;
  properties.queueCount = 1;
  properties.timestampValidBits = timestampBits;
  return properties;
}

TEST(ChooseQueueFamily, PrefersComputeAloneButTimestampsMore) {
  const auto graphics = family(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 64);
  const auto copies = family(VK_QUEUE_TRANSFER_BIT, 64);
  const auto compute = family(VK_QUEUE_COMPUTE_BIT, 64);
  const auto untimed = family(VK_QUEUE_COMPUTE_BIT, 0);
  const VkQueueFamilyProperties dedicated[] = {graphics, copies, compute};
  const VkQueueFamilyProperties withoutTime[] = {untimed, graphics};
  const VkQueueFamilyProperties noCompute[] = {copies};
  EXPECT_EQ(chooseQueueFamily(dedicated), 2u);
  EXPECT_EQ(chooseQueueFamily(withoutTime), 1u);
  EXPECT_EQ(chooseQueueFamily({withoutTime, 1}), 0u);
  EXPECT_EQ(chooseQueueFamily(noCompute), std::nullopt);
}

TEST(Instance, SaysWhatToInstallWithoutADriver) {
  // The Vulkan loader reads these variables at every vkCreateInstance.
  ::setenv("VK_ICD_FILENAMES", "/nonexistent/icd.json", 1);
  ::setenv("VK_DRIVER_FILES", "/nonexistent/icd.json", 1);
  const auto instance = Instance::create();
  const auto devices =
      instance ? (*instance)->devices() : Result<std::vector<DeviceInfo>>(std::vector<DeviceInfo>());
  ::unsetenv("VK_ICD_FILENAMES");
  ::unsetenv("VK_DRIVER_FILES");
  if (instance) {  // newer loaders start without a driver and list nothing
    ORTHROS_ASSERT_OK(devices);
    EXPECT_TRUE(devices->empty());
    return;
  }
  EXPECT_EQ(instance.error().code, ErrorCode::notFound);
  EXPECT_NE(instance.error().nextStep.find("mesa-vulkan-drivers"), std::string::npos);
}

TEST_F(VulkanTest, DescribesTheDevice) {
  EXPECT_FALSE(info_.name.empty());
  EXPECT_EQ(info_.uuid.size(), 32u);
  EXPECT_EQ(info_.driverUuid.size(), 32u);
  EXPECT_GE(info_.limits.maxStorageBufferRange, 1u << 27);
  EXPECT_GE(info_.limits.maxPushConstantsSize, 128u);
  EXPECT_GE(info_.limits.maxTexelBufferElements, 1u << 16);
  EXPECT_GE(info_.limits.maxBufferBytes, 1u << 30);
  EXPECT_GE(info_.limits.subgroupSize, 1u);
  EXPECT_LE(info_.limits.minSubgroupSize, info_.limits.maxSubgroupSize);
  EXPECT_TRUE(info_.features.subgroupBasic);
  EXPECT_GT(info_.deviceMemoryBytes(), 0u);
  EXPECT_EQ(info_.features.cooperativeMatrixKhr, !info_.cooperativeMatrices.empty());
}

TEST_F(VulkanTest, DescribesTheDeviceAsJson) {
  const auto json = toJson(info_);
  EXPECT_EQ(json.at("uuid"), info_.uuid);
  EXPECT_EQ(json.at("type"), deviceTypeName(info_.type));
  EXPECT_EQ(json.at("limits").at("maxPushConstantsSize"), info_.limits.maxPushConstantsSize);
  EXPECT_EQ(json.at("features").at("shaderFloat16"), info_.features.shaderFloat16);
  EXPECT_EQ(json.at("heaps").size(), info_.heaps.size());
}

TEST_F(VulkanTest, RefusesADeviceThatIsGone) {
  DeviceInfo gone = info_;
  gone.uuid = std::string(32, '0');
  const auto device = Device::open(instance_, gone);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::notFound);
}

TEST_F(VulkanTest, ALostDeviceStaysLostAndANewOneWorks) {
  const auto recorder = makeRecorder();
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  auto running = submit(*recorder);
  ORTHROS_ASSERT_OK(running);
  device_->markLost();
  const Status outcomes[] = {running->wait(), submitAndWait(*recorder), recorder->begin(),
                             device_->waitIdle()};
  for (const Status& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::deviceLost);
    EXPECT_FALSE(outcome.error().nextStep.empty());
  }
  EXPECT_EQ(Buffer::create(*device_, {.name = "late", .bytes = 16}).error().code, ErrorCode::deviceLost);
  const auto fresh = Device::open(instance_, info_);
  ORTHROS_ASSERT_OK(fresh);
  EXPECT_FALSE((*fresh)->lost());
  ORTHROS_ASSERT_OK((*fresh)->waitIdle());
}

TEST_F(VulkanTest, AFaultRemembersALostDevice) {
  EXPECT_EQ(device_->fault(VK_ERROR_OUT_OF_DEVICE_MEMORY, "x", "do it").code, ErrorCode::outOfMemory);
  EXPECT_FALSE(device_->lost());
  const Error error = device_->fault(VK_ERROR_DEVICE_LOST, "x", "do it");
  EXPECT_EQ(error.code, ErrorCode::deviceLost);
  EXPECT_NE(error.happened.find("VK_ERROR_DEVICE_LOST"), std::string::npos);
  EXPECT_TRUE(device_->lost());
}

TEST(Instance, CollectsMessagesAndForwardsThem) {
  std::vector<ValidationMessage> forwarded;
  auto instance = Instance::create({.validation = true, .onMessage = [&](const ValidationMessage& message) {
                                      forwarded.push_back(message);
                                    }});
  if (!instance) GTEST_SKIP() << instance.error().message();
  const auto devices = valueOf((*instance)->devices());
  if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
  const auto device = valueOf(Device::open(*instance, devices.front()));
  VkFenceCreateInfo wrong{};  // sType is missing
  VkFence fence = VK_NULL_HANDLE;
  vkCreateFence(device->handle(), &wrong, nullptr, &fence);
  vkDestroyFence(device->handle(), fence, nullptr);
  ASSERT_EQ((*instance)->validationMessages().size(), 1u);
  EXPECT_TRUE((*instance)->validationMessages()[0].error);
  EXPECT_NE((*instance)->validationMessages()[0].id.find("VkFenceCreateInfo"), std::string::npos);
  EXPECT_EQ(forwarded.size(), 1u);
}

}  // namespace
}  // namespace orthros::vulkan
