#include <algorithm>

#include "engine/base/checked.hpp"
#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

std::vector<std::byte> pattern(size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
  return data;
}

class TransferTest : public VulkanTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override { openDevice({.mapDeviceBuffers = GetParam()}); }
};

INSTANTIATE_TEST_SUITE_P(MappedAndStaged, TransferTest, ::testing::Bool());

TEST_P(TransferTest, BytesSurviveTheRoundTrip) {
  EXPECT_EQ(makeBuffer("probe", 16)->isMapped(), GetParam() && info_.unifiedMemory);
  constexpr uint64_t chunk = 256;
  // Lengths around one, two and many chunks, at odd offsets.
  for (const size_t bytes : {1u, 255u, 256u, 257u, 512u, 513u, 2049u}) {
    for (const uint64_t offset : {0u, 3u}) {
      Transfer transfer(*device_, chunk);
      const auto buffer = makeBuffer("round trip", 3000);
      const auto sent = pattern(bytes);
      ORTHROS_ASSERT_OK(transfer.upload(*buffer, 0, pattern(3000)));
      ORTHROS_ASSERT_OK(transfer.upload(*buffer, offset, sent));
      std::vector<std::byte> received(bytes);
      ORTHROS_ASSERT_OK(transfer.download(*buffer, offset, received));
      EXPECT_EQ(received, sent) << bytes << " at " << offset;
      std::vector<std::byte> rest(3000 - offset - bytes);
      ORTHROS_ASSERT_OK(transfer.download(*buffer, offset + bytes, rest));
      const auto whole = pattern(3000);
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(), whole.end() - static_cast<ptrdiff_t>(rest.size())));
    }
  }
}

TEST_P(TransferTest, RefusesWhatDoesNotFit) {
  Transfer transfer(*device_);
  const auto buffer = makeBuffer("small", 64);
  std::vector<std::byte> data(65);
  EXPECT_EQ(transfer.upload(*buffer, 0, data).error().code, ErrorCode::invalidArgument);
  EXPECT_EQ(transfer.download(*buffer, 64, {data.data(), 1}).error().code, ErrorCode::invalidArgument);
  EXPECT_EQ(transfer.upload(*buffer, ~uint64_t{0} - 3, {data.data(), 8}).error().code,
            ErrorCode::invalidArgument);
  ORTHROS_ASSERT_OK(transfer.upload(*buffer, 64, {}));
}

TEST_P(TransferTest, GivesItsStagingMemoryBack) {
  Transfer transfer(*device_, 1024);
  const auto buffer = makeBuffer("target", 4096);
  ORTHROS_ASSERT_OK(transfer.upload(*buffer, 0, pattern(4096)));
  const bool staged = !buffer->isMapped();
  EXPECT_EQ(device_->allocatedBytes(MemoryCategory::staging) > 0, staged);
  transfer.releaseStaging();
  EXPECT_EQ(device_->allocatedBytes(MemoryCategory::staging), 0u);
  ORTHROS_ASSERT_OK(transfer.upload(*buffer, 0, pattern(4096)));
}

TEST_F(VulkanTest, CountsMemoryByCategory) {
  EXPECT_EQ(device_->allocatedBytes(), 0u);
  const auto create = [&](MemoryCategory category, uint64_t bytes) {
    return valueOf(Buffer::create(*device_, {.name = "counted", .bytes = bytes, .category = category}));
  };
  auto weights = create(MemoryCategory::weights, 4096);
  const auto cache = create(MemoryCategory::kv, 8192);
  EXPECT_GE(device_->allocatedBytes(MemoryCategory::weights), 4096u);
  EXPECT_GE(device_->allocatedBytes(MemoryCategory::kv), 8192u);
  EXPECT_EQ(device_->allocatedBytes(),
            device_->allocatedBytes(MemoryCategory::weights) + device_->allocatedBytes(MemoryCategory::kv));
  weights.reset();
  EXPECT_EQ(device_->allocatedBytes(MemoryCategory::weights), 0u);
  EXPECT_GE(device_->allocatedBytes(MemoryCategory::kv), 8192u);
}

TEST_F(VulkanTest, HostBuffersAreMapped) {
  EXPECT_EQ(makeBuffer("table", 100, MemoryKind::table)->mapped().size(), 100u);
  EXPECT_EQ(makeBuffer("up", 100, MemoryKind::upload)->mapped().size(), 100u);
  EXPECT_EQ(makeBuffer("down", 100, MemoryKind::readback)->mapped().size(), 100u);
}

TEST_F(VulkanTest, TooLargeABufferNamesItselfAndItsBytes) {
  const uint64_t bytes = info_.limits.maxBufferBytes + 1;
  const auto buffer = Buffer::create(*device_, {.name = "monster", .bytes = bytes});
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::outOfMemory);
  EXPECT_EQ(buffer.error().subject, "monster");
  EXPECT_NE(buffer.error().happened.find(std::to_string(bytes)), std::string::npos);
  EXPECT_EQ(Buffer::create(*device_, {.name = "empty", .bytes = 0}).error().code, ErrorCode::invalidArgument);
}

TEST_F(VulkanTest, TexelViewsAreKeptAndChecked) {
  const uint64_t alignment = info_.limits.minTexelBufferOffsetAlignment;
  const auto buffer = makeBuffer("texels", roundUp<uint64_t>(1024, alignment));
  const auto whole = valueOf(buffer->texelView(VK_FORMAT_R32G32B32A32_SFLOAT, 0));
  EXPECT_EQ(valueOf(buffer->texelView(VK_FORMAT_R32G32B32A32_SFLOAT, 0, buffer->bytes())), whole);
  EXPECT_NE(valueOf(buffer->texelView(VK_FORMAT_R32_UINT, 0)), whole);
  EXPECT_NE(valueOf(buffer->texelView(VK_FORMAT_R32G32B32A32_SFLOAT, alignment)), whole);
  const auto codeOf = [&](VkFormat format, uint64_t offset, uint64_t range) {
    const auto view = buffer->texelView(format, offset, range);
    return view ? std::string("made") : std::string(errorCodeName(view.error().code));
  };
  EXPECT_EQ(codeOf(VK_FORMAT_R32_UINT, 1, 4), "invalid-argument");
  EXPECT_EQ(codeOf(VK_FORMAT_R32G32B32A32_SFLOAT, 0, 8), "invalid-argument");
  EXPECT_EQ(codeOf(VK_FORMAT_R32_UINT, 0, buffer->bytes() + 4), "invalid-argument");
  EXPECT_EQ(codeOf(VK_FORMAT_R32_UINT, buffer->bytes(), wholeRange), "invalid-argument");
  EXPECT_EQ(codeOf(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0, wholeRange), "unsupported");
}

TEST_F(VulkanTest, TexelViewsObeyTheLimitOnTexels) {
  const uint64_t bytes = info_.limits.maxTexelBufferElements + 16;
  if (bytes > info_.limits.maxBufferBytes) GTEST_SKIP() << "a buffer cannot reach the limit on texels";
  const auto buffer = Buffer::create(*device_, {.name = "long", .bytes = bytes});
  if (!buffer) GTEST_SKIP() << buffer.error().message();
  const auto view = (*buffer)->texelView(VK_FORMAT_R8_UINT, 0);
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, ErrorCode::unsupported);
  EXPECT_NE(view.error().happened.find(std::to_string(bytes)), std::string::npos);
  ORTHROS_ASSERT_OK((*buffer)->texelView(VK_FORMAT_R8G8B8A8_UINT, 0));
}

}  // namespace
}  // namespace orthros::vulkan
