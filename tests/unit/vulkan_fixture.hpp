// A device under the validation layer. Every test on it fails when the layer says anything that the test did
// not expect.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/vulkan/pipeline.hpp"
#include "engine/vulkan/submission.hpp"
#include "engine/vulkan/transfer.hpp"
#include "shaders/shaders.hpp"

namespace orthros::vulkan {

#define ORTHROS_ASSERT_OK(expression)                                            \
  do {                                                                           \
    const auto& orthrosOutcome = (expression);                                   \
    ASSERT_TRUE(orthrosOutcome.has_value()) << orthrosOutcome.error().message(); \
  } while (false)

template <class T>
T valueOf(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return T{};
  }
  return std::move(*result);
}

// The push constants of shaders/smoke.comp: target[i] = source[i] * SCALE + addend for i < count.
struct SmokePush {
  uint32_t count = 0;
  uint32_t addend = 0;
};
inline constexpr uint32_t smokeGroupSize = 64;

class VulkanTest : public ::testing::Test {
 protected:
  void SetUp() override { openDevice({}); }

  void TearDown() override {
    device_.reset();
    if (!instance_ || expectsMessages_) return;
    for (const auto& message : instance_->validationMessages())
      ADD_FAILURE() << message.id << ": " << message.text;
  }

  // Replaces the fixture's device.
  void openDevice(const DeviceOptions& options) {
    if (!instance_) {
      auto instance = Instance::create({.validation = true});
      if (!instance) GTEST_SKIP() << instance.error().message();
      instance_ = *instance;
    }
    const auto devices = valueOf(instance_->devices());
    if (devices.empty()) GTEST_SKIP() << "no Vulkan device";
    info_ = valueOf(chooseDevice(devices, ""));
    device_ = valueOf(Device::open(instance_, info_, options));
    ASSERT_NE(device_, nullptr);
  }

  std::shared_ptr<Buffer> makeBuffer(const std::string& name, uint64_t bytes,
                                     MemoryKind memory = MemoryKind::device) {
    return valueOf(Buffer::create(*device_, {.name = name, .bytes = bytes, .memory = memory}));
  }

  std::shared_ptr<Buffer> makeBufferOf(const std::string& name, std::span<const uint32_t> values) {
    auto buffer = makeBuffer(name, values.size_bytes());
    EXPECT_TRUE(Transfer(*device_).upload(*buffer, 0, std::as_bytes(values)));
    return buffer;
  }

  std::vector<uint32_t> contentsOf(Buffer& buffer) {
    std::vector<uint32_t> values(buffer.bytes() / sizeof(uint32_t));
    EXPECT_TRUE(Transfer(*device_).download(buffer, 0, std::as_writable_bytes(std::span(values))));
    return values;
  }

  static PipelineDescription smokeDescription(uint32_t scale = 1) {
    return {.name = "smoke",
            .spirv = shaders::find("smoke"),
            .bindings = {BindingKind::storage, BindingKind::storage},
            .pushBytes = sizeof(SmokePush),
            .specialization = {scale}};
  }

  // The same on texel buffers of VK_FORMAT_R32_UINT.
  static PipelineDescription smokeTexelDescription(uint32_t scale = 1) {
    PipelineDescription description = smokeDescription(scale);
    description.spirv = shaders::find("smoke_texel");
    description.bindings = {BindingKind::uniformTexel, BindingKind::storageTexel};
    return description;
  }

  std::shared_ptr<Pipeline> makeSmoke(uint32_t scale = 1) {
    return valueOf(Pipeline::create(*device_, smokeDescription(scale)));
  }

  std::unique_ptr<CommandRecorder> makeRecorder(const RecorderOptions& options = {}) {
    auto recorder = valueOf(CommandRecorder::create(*device_, options));
    EXPECT_TRUE(recorder->begin());
    return recorder;
  }

  // Records target = source * SCALE + addend over `count` values.
  static Status recordSmoke(CommandRecorder& recorder, const Pipeline& pipeline, Buffer& source,
                            Buffer& target, const SmokePush& push) {
    const Binding bindings[] = {{.buffer = &source, .format = VK_FORMAT_R32_UINT},
                                {.buffer = &target, .format = VK_FORMAT_R32_UINT, .access = Access::write}};
    const uint32_t groups = (push.count + smokeGroupSize - 1) / smokeGroupSize;
    return recorder.dispatch(pipeline, bindings, pushBytes(push), {groups}, {.operation = "smoke"});
  }

  static std::vector<uint32_t> counting(size_t count) {
    std::vector<uint32_t> values(count);
    std::iota(values.begin(), values.end(), 0u);
    return values;
  }

  std::shared_ptr<Instance> instance_;
  DeviceInfo info_;
  std::shared_ptr<Device> device_;
  bool expectsMessages_ = false;
};

}  // namespace orthros::vulkan
