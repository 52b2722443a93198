#include "engine/base/checked.hpp"
#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

constexpr uint32_t count = 1000;

std::vector<uint32_t> scaled(std::vector<uint32_t> values, uint32_t scale, uint32_t addend) {
  for (uint32_t& value : values) value = value * scale + addend;
  return values;
}

// With descriptors pushed, and with descriptor sets.
class DispatchTest : public VulkanTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    openDevice({.pushDescriptors = GetParam()});
    if (IsSkipped()) return;
    if (GetParam() && !info_.features.pushDescriptor) GTEST_SKIP() << "no push descriptors";
    ASSERT_EQ(device_->usesPushDescriptors(), GetParam());
    source_ = makeBufferOf("source", counting(count));
    target_ = makeBuffer("target", count * sizeof(uint32_t));
  }
  void TearDown() override {
    source_.reset();
    target_.reset();
    VulkanTest::TearDown();
  }

  std::shared_ptr<Buffer> source_;
  std::shared_ptr<Buffer> target_;
};

INSTANTIATE_TEST_SUITE_P(SetsAndPushes, DispatchTest, ::testing::Bool());

TEST_P(DispatchTest, ComputesWithConstantsAndPushes) {
  const auto pipeline = makeSmoke(3);
  EXPECT_EQ(pipeline->pushesDescriptors(), GetParam());
  const auto recorder = makeRecorder();
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *target_, {count, 7}));
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  EXPECT_EQ(contentsOf(*target_), scaled(counting(count), 3, 7));
}

TEST_P(DispatchTest, ReadsAndWritesTexels) {
  const auto pipeline = valueOf(Pipeline::create(*device_, smokeTexelDescription(5)));
  const auto recorder = makeRecorder();
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *target_, {count, 1}));
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  EXPECT_EQ(contentsOf(*target_), scaled(counting(count), 5, 1));
}

TEST_P(DispatchTest, RefusesToWriteAUniformTexelBuffer) {
  const auto pipeline = valueOf(Pipeline::create(*device_, smokeTexelDescription()));
  const auto recorder = makeRecorder();
  const SmokePush push{count, 1};
  const Binding bindings[] = {
      {.buffer = source_.get(), .format = VK_FORMAT_R32_UINT, .access = Access::readWrite},
      {.buffer = target_.get(), .format = VK_FORMAT_R32_UINT, .access = Access::write}};
  const Status refused = recorder->dispatch(*pipeline, bindings, pushBytes(push), {1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalidArgument);
  EXPECT_NE(refused.error().subject.find("binding 0"), std::string::npos);
}

TEST_P(DispatchTest, PutsABarrierBetweenDependentDispatchesOnly) {
  const auto pipeline = makeSmoke(1);
  const auto other = makeBuffer("other", target_->bytes());
  const auto recorder = makeRecorder();
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *target_, {count, 1}));
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *other, {count, 2}));
  EXPECT_EQ(recorder->barrierCount(), 0u);
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *target_, *source_, {count, 10}));
  EXPECT_EQ(recorder->barrierCount(), 1u);
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *target_, {count, 100}));
  EXPECT_EQ(recorder->barrierCount(), 2u);
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  EXPECT_EQ(contentsOf(*target_), scaled(counting(count), 1, 111));
  EXPECT_EQ(contentsOf(*other), scaled(counting(count), 1, 2));
  EXPECT_EQ(recorder->events().size(), 4u);
}

TEST_P(DispatchTest, RunsARecordingAgainAndARecorderAnew) {
  const auto pipeline = makeSmoke(1);
  const auto recorder = makeRecorder();
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *target_, {count, 1}));
  ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *target_, *source_, {count, 0}));
  ORTHROS_ASSERT_OK(recorder->end());
  for (int run = 0; run < 5; ++run) ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  EXPECT_EQ(contentsOf(*source_), scaled(counting(count), 1, 5));
  // More sets than one descriptor pool holds, twice.
  for (int round = 0; round < 2; ++round) {
    ORTHROS_ASSERT_OK(recorder->begin());
    EXPECT_TRUE(recorder->events().empty());
    for (int i = 0; i < 150; ++i) {
      ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *source_, *target_, {count, 1}));
      ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, *target_, *source_, {count, 0}));
    }
    EXPECT_EQ(recorder->barrierCount(), 299u);
    ORTHROS_ASSERT_OK(recorder->end());
    ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  }
  EXPECT_EQ(contentsOf(*source_), scaled(counting(count), 1, 305));
}

TEST_P(DispatchTest, OrdersSubmissionsThatDependOnEachOther) {
  const auto pipeline = makeSmoke(2);
  const auto first = makeRecorder(), second = makeRecorder();
  ORTHROS_ASSERT_OK(recordSmoke(*first, *pipeline, *source_, *target_, {count, 0}));
  ORTHROS_ASSERT_OK(first->end());
  ORTHROS_ASSERT_OK(recordSmoke(*second, *pipeline, *target_, *source_, {count, 1}));
  ORTHROS_ASSERT_OK(second->end());
  auto one = submit(*first), two = submit(*second);
  ORTHROS_ASSERT_OK(one);
  ORTHROS_ASSERT_OK(two);
  ORTHROS_ASSERT_OK(two->wait());
  EXPECT_TRUE(valueOf(one->done()));
  EXPECT_EQ(contentsOf(*source_), scaled(counting(count), 4, 1));
}

TEST_P(DispatchTest, SlicesLookLikeOneDispatch) {
  const auto pipeline = makeSmoke(1);
  const auto recorder = makeRecorder();
  const SmokePush push{count, 9};
  const Binding bindings[] = {{.buffer = source_.get()}, {.buffer = target_.get(), .access = Access::write}};
  ORTHROS_ASSERT_OK(recorder->fillBuffer(*target_, 0, wholeRange, 0));
  ORTHROS_ASSERT_OK(recorder->dispatch(*pipeline, bindings, pushBytes(push), {10}, {}, {0, 0, 0}));
  ORTHROS_ASSERT_OK(recorder->dispatch(*pipeline, bindings, pushBytes(push), {6}, {}, {10, 0, 0}));
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  EXPECT_EQ(contentsOf(*target_), scaled(counting(count), 1, 9));
}

TEST_P(DispatchTest, ReadsGroupCountsFromABuffer) {
  const auto pipeline = makeSmoke(1);
  const auto recorder = makeRecorder();
  const SmokePush push{count, 1};
  const auto arguments = makeBuffer("arguments", 16);
  const Binding bindings[] = {{.buffer = source_.get()}, {.buffer = target_.get(), .access = Access::write}};
  ORTHROS_ASSERT_OK(recorder->fillBuffer(*target_, 0, wholeRange, 0));
  ORTHROS_ASSERT_OK(recorder->fillBuffer(*arguments, 0, wholeRange, 1));
  ORTHROS_ASSERT_OK(recorder->dispatchIndirect(*pipeline, bindings, pushBytes(push), *arguments, 4));
  EXPECT_EQ(recorder->barrierCount(), 1u);
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  const auto values = contentsOf(*target_);
  EXPECT_EQ(values[smokeGroupSize - 1], smokeGroupSize);
  EXPECT_EQ(values[smokeGroupSize], 0u);  // one group only
  EXPECT_EQ(recorder->dispatchIndirect(*pipeline, bindings, pushBytes(push), *arguments, 4).error().code,
            ErrorCode::invalidArgument);  // after end()
}

TEST_P(DispatchTest, CopiesAndFills) {
  const auto recorder = makeRecorder();
  const VkBufferCopy regions[] = {{0, 400, 40}, {40, 0, 4}};
  ORTHROS_ASSERT_OK(recorder->fillBuffer(*target_, 0, wholeRange, 0xabcd));
  ORTHROS_ASSERT_OK(recorder->copyBuffer(*source_, *target_, regions));
  EXPECT_EQ(recorder->barrierCount(), 1u);
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  const auto values = contentsOf(*target_);
  EXPECT_EQ(values[0], 10u);
  EXPECT_EQ(values[1], 0xabcdu);
  EXPECT_EQ(values[100], 0u);
  EXPECT_EQ(values[109], 9u);
  EXPECT_EQ(values[110], 0xabcdu);
  ASSERT_EQ(recorder->events().size(), 2u);
  EXPECT_EQ(recorder->events()[1].bytesRead, 44u);
}

TEST_P(DispatchTest, RefusesWhatTheDeviceCannotDo) {
  const auto pipeline = makeSmoke();
  const auto recorder = makeRecorder();
  const SmokePush push{count, 1};
  const uint32_t tooMany = info_.limits.maxComputeWorkGroupCount[0];
  const Binding good[] = {{.buffer = source_.get()}, {.buffer = target_.get(), .access = Access::write}};
  const auto codeOf = [&](std::span<const Binding> bindings, std::span<const std::byte> bytes,
                          uint32_t groups, uint32_t first) {
    const Status status = recorder->dispatch(*pipeline, bindings, bytes, {groups}, {}, {first, 0, 0});
    return status ? std::string("recorded") : std::string(errorCodeName(status.error().code));
  };
  const auto withFirst = [&](const Binding& binding) {
    const Binding bindings[] = {binding, good[1]};
    return codeOf(bindings, pushBytes(push), 1, 0);
  };
  if (tooMany < UINT32_MAX) {
    EXPECT_EQ(codeOf(good, pushBytes(push), tooMany + 1, 0), "unsupported");
  }
  EXPECT_EQ(codeOf(good, pushBytes(push), 2, tooMany - 1), "unsupported");
  EXPECT_EQ(codeOf(good, pushBytes(push).first(4), 1, 0), "invalid-argument");
  EXPECT_EQ(codeOf({good, 1}, pushBytes(push), 1, 0), "invalid-argument");
  EXPECT_EQ(withFirst({}), "invalid-argument");
  EXPECT_EQ(withFirst({.buffer = source_.get(), .offset = source_->bytes()}), "invalid-argument");
  EXPECT_EQ(withFirst({.buffer = source_.get(), .range = source_->bytes() + 1}), "invalid-argument");
  if (info_.limits.minStorageBufferOffsetAlignment > 1) {
    EXPECT_EQ(withFirst({.buffer = source_.get(), .offset = 1, .range = 8}), "invalid-argument");
  }
  EXPECT_TRUE(recorder->events().empty());
  EXPECT_EQ(codeOf(good, pushBytes(push), 0, 0), "recorded");  // nothing to do
  EXPECT_TRUE(recorder->events().empty());
  EXPECT_EQ(recorder->copyBuffer(*source_, *source_, std::vector<VkBufferCopy>{{0, 4, 8}}).error().code,
            ErrorCode::invalidArgument);
  EXPECT_EQ(recorder->copyBuffer(*source_, *target_, std::vector<VkBufferCopy>{{0, 4, 0}}).error().code,
            ErrorCode::invalidArgument);
  EXPECT_EQ(recorder->fillBuffer(*target_, 2, 4, 0).error().code, ErrorCode::invalidArgument);
  ORTHROS_ASSERT_OK(recorder->end());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
}

TEST_F(VulkanTest, RefusesAStorageRangeAboveTheLimit) {
  const uint64_t bytes = info_.limits.maxStorageBufferRange + 16;
  if (bytes > info_.limits.maxBufferBytes || bytes > 1ull << 30) GTEST_SKIP() << "the limit is out of reach";
  const auto large = makeBuffer("large", bytes);
  const auto target = makeBuffer("target", 64);
  const auto pipeline = makeSmoke();
  const auto recorder = makeRecorder();
  const SmokePush push{16, 0};
  const Binding whole[] = {{.buffer = large.get()}, {.buffer = target.get(), .access = Access::write}};
  const Status refused = recorder->dispatch(*pipeline, whole, pushBytes(push), {1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_NE(refused.error().subject.find("large"), std::string::npos);
  const Binding part[] = {{.buffer = large.get(), .offset = bytes - 64}, whole[1]};
  ORTHROS_ASSERT_OK(recorder->dispatch(*pipeline, part, pushBytes(push), {1}));
}

TEST_F(VulkanTest, GuardsTheStatesOfARecorder) {
  const auto pipeline = makeSmoke();
  const auto buffer = makeBufferOf("data", counting(64));
  auto recorder = valueOf(CommandRecorder::create(*device_));
  EXPECT_EQ(submit(*recorder).error().code, ErrorCode::invalidArgument);
  EXPECT_EQ(recorder->end().error().code, ErrorCode::invalidArgument);
  EXPECT_EQ(recorder->fillBuffer(*buffer, 0, 4, 0).error().code, ErrorCode::invalidArgument);
  ORTHROS_ASSERT_OK(recorder->begin());
  EXPECT_EQ(submit(*recorder).error().code, ErrorCode::invalidArgument);
  ORTHROS_ASSERT_OK(recorder->end());
  auto submission = submit(*recorder);
  ORTHROS_ASSERT_OK(submission);
  Submission moved = std::move(*submission);
  EXPECT_EQ(submission->wait().error().code, ErrorCode::invalidArgument);
  ORTHROS_ASSERT_OK(moved.wait());
  EXPECT_TRUE(valueOf(moved.done()));
  ORTHROS_ASSERT_OK(moved.wait(std::chrono::nanoseconds(0)));
}

TEST_F(VulkanTest, RefusesToDisturbAPendingSubmission) {
  const auto pipeline = makeSmoke();
  const auto a = makeBufferOf("a", std::vector<uint32_t>(1 << 20)), b = makeBuffer("b", a->bytes());
  const auto recorder = makeRecorder();
  for (int i = 0; i < 40; ++i) {
    ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipeline, i % 2 ? *b : *a, i % 2 ? *a : *b, {1 << 20, 1}));
  }
  ORTHROS_ASSERT_OK(recorder->end());
  auto submission = submit(*recorder);
  ORTHROS_ASSERT_OK(submission);
  const Status early = submission->wait(std::chrono::nanoseconds(1));
  if (early) GTEST_SKIP() << "the device was faster than the test";
  EXPECT_EQ(early.error().code, ErrorCode::internal);
  if (const auto done = submission->done(); done && !*done) {
    EXPECT_EQ(submit(*recorder).error().code, ErrorCode::invalidArgument);
    EXPECT_EQ(recorder->begin().error().code, ErrorCode::invalidArgument);
  }
  ORTHROS_ASSERT_OK(submission->wait());
  ORTHROS_ASSERT_OK(submitAndWait(*recorder));
  EXPECT_EQ(contentsOf(*a)[12345], 80u);
}

TEST_F(VulkanTest, AnOlderSubmissionDoesNotWaitForANewerOne) {
  const auto recorder = makeRecorder();
  ORTHROS_ASSERT_OK(recorder->end());
  auto submission = valueOf<std::optional<Submission>>(submit(*recorder));
  ORTHROS_ASSERT_OK(submission->wait());
  auto newer = submit(*recorder);
  ORTHROS_ASSERT_OK(newer);
  EXPECT_TRUE(valueOf(submission->done()));
  submission = std::move(*newer);  // the usual loop: must not settle the newer run through the older object
  ORTHROS_ASSERT_OK(submission->wait());
}

}  // namespace
}  // namespace orthros::vulkan
