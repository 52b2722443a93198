// The nth allocation fails, for every n: an error that names the buffer, nothing leaked, the device still
// usable.
#include "tests/support/refused_allocation.hpp"
#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

class MemoryFailureTest : public VulkanTest {
 protected:
  void SetUp() override { openDevice({.mapDeviceBuffers = false, .mayAllocate = allocation_.hook()}); }

  // Everything that takes device memory in a run: buffers, staging both ways.
  Result<std::vector<uint32_t>> run() {
    const auto values = counting(500);
    const uint64_t bytes = values.size() * sizeof(uint32_t);
    ORTHROS_ASSIGN(const auto source, Buffer::create(*device_, {.name = "source", .bytes = bytes}));
    ORTHROS_ASSIGN(const auto target, Buffer::create(*device_, {.name = "target", .bytes = bytes}));
    Transfer transfer(*device_, 512);
    ORTHROS_TRY(transfer.upload(*source, 0, std::as_bytes(std::span(values))));
    ORTHROS_ASSIGN(const auto pipeline, Pipeline::create(*device_, smokeDescription(2)));
    ORTHROS_ASSIGN(const auto recorder, CommandRecorder::create(*device_));
    ORTHROS_TRY(recorder->begin());
    ORTHROS_TRY(recordSmoke(*recorder, *pipeline, *source, *target, {500, 1}));
    ORTHROS_TRY(recorder->end());
    ORTHROS_TRY(submitAndWait(*recorder));
    std::vector<uint32_t> result(values.size());
    ORTHROS_TRY(transfer.download(*target, 0, std::as_writable_bytes(std::span(result))));
    return result;
  }

  test::RefusedAllocation allocation_;
};

TEST_F(MemoryFailureTest, EveryAllocationMayFail) {
  ORTHROS_ASSERT_OK(run());
  const int total = allocation_.seen;
  ASSERT_EQ(total, 6);  // two buffers, two staging chunks each way
  for (allocation_.failing = 1; allocation_.failing <= total; ++allocation_.failing) {
    allocation_.seen = 0;
    const auto outcome = run();
    ASSERT_FALSE(outcome) << "allocation " << allocation_.failing;
    EXPECT_EQ(outcome.error().code, ErrorCode::outOfMemory);
    EXPECT_EQ(outcome.error().subject, allocation_.name);
    EXPECT_NE(outcome.error().happened.find("bytes"), std::string::npos);
    EXPECT_FALSE(outcome.error().nextStep.empty());
    EXPECT_EQ(device_->allocatedBytes(), 0u);
  }
  allocation_.failing = 0;
  const auto again = run();
  ORTHROS_ASSERT_OK(again);
  EXPECT_EQ((*again)[499], 999u);
  EXPECT_EQ(device_->allocatedBytes(), 0u);
}

}  // namespace
}  // namespace orthros::vulkan
