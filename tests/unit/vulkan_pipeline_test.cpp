#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "engine/base/file.hpp"
#include "engine/vulkan/pipeline_cache.hpp"
#include "tests/unit/vulkan_fixture.hpp"

namespace orthros::vulkan {
namespace {

TEST_F(VulkanTest, PipelineRefusesImpossibleDescriptions) {
  const auto codeOf = [&](const PipelineDescription& description) {
    const auto pipeline = Pipeline::create(*device_, description);
    return pipeline ? std::string("made") : std::string(errorCodeName(pipeline.error().code));
  };
  EXPECT_EQ(codeOf(smokeDescription()), "made");
  PipelineDescription description = smokeDescription();
  description.pushBytes = info_.limits.maxPushConstantsSize + 4;
  EXPECT_EQ(codeOf(description), "invalid-argument");
  description = smokeDescription();
  description.pushBytes = 6;
  EXPECT_EQ(codeOf(description), "invalid-argument");
  description = smokeDescription();
  description.spirv = shaders::find("no such shader");
  EXPECT_EQ(codeOf(description), "invalid-argument");
  const std::vector<uint32_t> noise(100, 0xdeadbeef);
  description.spirv = noise;
  EXPECT_EQ(codeOf(description), "invalid-argument");
  description = smokeDescription();
  description.requiredSubgroupSize = info_.limits.maxSubgroupSize * 2;
  EXPECT_EQ(codeOf(description), "unsupported");
  description.requiredSubgroupSize = info_.limits.maxSubgroupSize;
  description.fullSubgroups = true;
  EXPECT_EQ(codeOf(description), "made");
}

TEST_F(VulkanTest, PipelinesAreMadeOnSeveralThreads) {
  const auto cache = valueOf(PipelineCache::open(*device_, std::filesystem::temp_directory_path() / "none"));
  std::vector<std::shared_ptr<Pipeline>> pipelines(6);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < pipelines.size(); ++i) {
    threads.emplace_back([&, i] {
      auto made = Pipeline::create(*device_, smokeDescription(i + 1), cache.get());
      if (made) pipelines[i] = *made;
    });
  }
  for (auto& thread : threads) thread.join();
  const auto source = makeBufferOf("source", counting(64)), target = makeBuffer("target", 256);
  for (uint32_t i = 0; i < pipelines.size(); ++i) {
    ASSERT_NE(pipelines[i], nullptr);
    const auto recorder = makeRecorder();
    ORTHROS_ASSERT_OK(recordSmoke(*recorder, *pipelines[i], *source, *target, {64, 0}));
    ORTHROS_ASSERT_OK(recorder->end());
    ORTHROS_ASSERT_OK(submitAndWait(*recorder));
    EXPECT_EQ(contentsOf(*target)[63], 63 * (i + 1));
  }
}

class PipelineCacheTest : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    folder_ =
        std::filesystem::temp_directory_path() / ("orthros-pipeline-cache-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    VulkanTest::TearDown();
  }

  // Saves a cache with one pipeline and returns the file's contents.
  std::string saveOne() {
    const auto cache = valueOf(PipelineCache::open(*device_, folder_));
    EXPECT_TRUE(Pipeline::create(*device_, smokeDescription(), cache.get()));
    const Status saved = cache->save();
    EXPECT_TRUE(saved) << saved.error().message();
    path_ = cache->path();
    return valueOf(readFile(path_, 1 << 30));
  }

  bool loads() {
    const auto cache = valueOf(PipelineCache::open(*device_, folder_));
    EXPECT_TRUE(Pipeline::create(*device_, smokeDescription(), cache.get()));  // usable either way
    return cache->loadedFromDisk();
  }

  void write(std::string_view contents) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << contents;
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(PipelineCacheTest, ComesBackFromDisk) {
  EXPECT_FALSE(loads());
  saveOne();
  EXPECT_NE(path_.filename().string().find(info_.driverUuid), std::string::npos);
  EXPECT_TRUE(loads());
}

TEST_F(PipelineCacheTest, IgnoresDamage) {
  const std::string intact = saveOne();
  ASSERT_GT(intact.size(), 32u);
  for (const size_t length : {size_t{0}, size_t{7}, size_t{24}, size_t{40}, intact.size() - 1}) {
    write(std::string_view(intact).substr(0, length));
    EXPECT_FALSE(loads()) << "cut to " << length;
  }
  for (const size_t position : {size_t{0}, size_t{9}, size_t{17}, size_t{30}, intact.size() - 1}) {
    std::string damaged = intact;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x40);
    write(damaged);
    EXPECT_FALSE(loads()) << "bit flipped at " << position;
  }
  write(intact + "x");
  EXPECT_FALSE(loads());
  write(intact);
  EXPECT_TRUE(loads());
}

TEST_F(PipelineCacheTest, AFailureToSaveIsAnError) {
  saveOne();
  std::filesystem::remove_all(folder_);
  std::ofstream(folder_) << "a file where the folder should be";
  const auto cache = valueOf(PipelineCache::open(*device_, folder_));
  EXPECT_FALSE(cache->loadedFromDisk());
  EXPECT_EQ(cache->save().error().code, ErrorCode::io);
  cache->saveOrLog();
}

TEST(Shaders, AreFoundByName) {
  EXPECT_FALSE(shaders::find("smoke").empty());
  EXPECT_EQ(shaders::find("smoke")[0], 0x07230203u);
  EXPECT_NE(shaders::find("smoke").data(), shaders::find("smoke_texel").data());
  EXPECT_TRUE(shaders::find("smok").empty());
  EXPECT_TRUE(shaders::find("").empty());
  for (const auto name : shaders::names()) EXPECT_FALSE(shaders::find(name).empty()) << name;
}

}  // namespace
}  // namespace orthros::vulkan
