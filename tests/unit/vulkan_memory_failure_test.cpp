// The nth allocation fails, for every n: an error that names the buffer, nothing leaked, the device still
// usable.
#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

class MemoryFailureTest : public VulkanTest {
 protected:
  void SetUp() override {
    openDevice({.mapDeviceBuffers = false, .mayAllocate = [this](const AllocationRequest& request) {
                  if (++allocations_ != failing_) return true;
                  refused_ = request.name;
                  return false;
                }});
  }

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

  int allocations_ = 0;
  int failing_ = 0;  // the number of the allocation to refuse, from 1
  std::string refused_;
};

TEST_F(MemoryFailureTest, EveryAllocationMayFail) {
  ORTHROS_ASSERT_OK(run());
  const int total = allocations_;
  ASSERT_EQ(total, 6);  // two buffers, two staging chunks each way
  for (failing_ = 1; failing_ <= total; ++failing_) {
    allocations_ = 0;
    const auto outcome = run();
    ASSERT_FALSE(outcome) << "allocation " << failing_;
    EXPECT_EQ(outcome.error().code, ErrorCode::outOfMemory);
    EXPECT_EQ(outcome.error().subject, refused_);
    EXPECT_NE(outcome.error().happened.find("bytes"), std::string::npos);
    EXPECT_FALSE(outcome.error().nextStep.empty());
    EXPECT_EQ(device_->allocatedBytes(), 0u);
  }
  failing_ = 0;
  const auto again = run();
  ORTHROS_ASSERT_OK(again);
  EXPECT_EQ((*again)[499], 999u);
  EXPECT_EQ(device_->allocatedBytes(), 0u);
}

}  // namespace
}  // namespace orthros::vulkan
