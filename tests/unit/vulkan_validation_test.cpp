// Proves that the validation layer sees a missing barrier: else its silence in the other tests would mean
// nothing.
#include <algorithm>

#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

class MissingBarrierTest : public VulkanTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    openDevice({.pushDescriptors = GetParam()});
    expectsMessages_ = true;
  }

  bool sawHazard(const char* id) const {
    const auto messages = instance_->validationMessages();
    return std::any_of(messages.begin(), messages.end(),
                       [&](const ValidationMessage& message) { return message.id == id; });
  }
};

INSTANTIATE_TEST_SUITE_P(SetsAndPushes, MissingBarrierTest, ::testing::Bool());

TEST_P(MissingBarrierTest, BetweenDispatches) {
  const auto a = makeBufferOf("a", counting(64)), b = makeBuffer("b", 256), c = makeBuffer("c", 256);
  for (const auto& description : {smokeDescription(), smokeTexelDescription()}) {
    const auto pipeline = valueOf(Pipeline::create(*device_, description));
    for (const BarrierMode mode : {BarrierMode::automatic, BarrierMode::none}) {
      const size_t messagesBefore = instance_->validationMessages().size();
      const auto recorder = makeRecorder({.barriers = mode});
      ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *a, *b, {64, 1}));
      ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *b, *c, {64, 1}));
      const bool automatic = mode == BarrierMode::automatic;
      EXPECT_EQ(recorder->barrierCount(), automatic ? 1u : 0u);
      EXPECT_EQ(instance_->validationMessages().size() > messagesBefore, !automatic);
      ORTHROS_ASSERT_OK(recorder->end());
    }
  }
  EXPECT_TRUE(sawHazard("SYNC-HAZARD-READ-AFTER-WRITE"));
}

TEST_P(MissingBarrierTest, BetweenAFillAndACopy) {
  const auto a = makeBuffer("a", 256), b = makeBuffer("b", 256);
  const auto recorder = makeRecorder({.barriers = BarrierMode::none});
  const VkBufferCopy region{0, 0, 256};
  ORTHROS_ASSERT_OK(recorder->fillBuffer(*b, 0, wholeRange, 0));
  EXPECT_TRUE(instance_->validationMessages().empty());
  ORTHROS_ASSERT_OK(recorder->copyBuffer(*a, *b, {&region, 1}));
  EXPECT_TRUE(sawHazard("SYNC-HAZARD-WRITE-AFTER-WRITE"));
}

}  // namespace
}  // namespace orthros::vulkan
