// The driver's cache of compiled pipelines, kept on disk between runs.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"

namespace orthros::vulkan {

class PipelineCache {
 public:
  // Starts from the file of this device and driver in `folder` if there is a usable one. A missing, foreign
  // or damaged file is not an error: the cache then starts empty. Error: outOfMemory.
  static Result<std::shared_ptr<PipelineCache>> open(Device& device, const std::filesystem::path& folder);
  // The same in cacheFolder()/pipelines; without a cache folder, a cache that is not kept.
  static Result<std::shared_ptr<PipelineCache>> open(Device& device);
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;
  ~PipelineCache();  // does not save

  // Writes the file. A failure costs only time at the next start, so callers may just log it: saveOrLog().
  Status save() const;
  void saveOrLog() const;

  VkPipelineCache handle() const { return cache_; }
  bool loadedFromDisk() const { return loadedFromDisk_; }
  // Empty for a cache that is not kept.
  const std::filesystem::path& path() const { return path_; }

 private:
  PipelineCache(std::shared_ptr<Device> device, std::filesystem::path path);
  Status createCache(std::span<const std::byte> initial);

  std::shared_ptr<Device> device_;
  std::filesystem::path path_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  bool loadedFromDisk_ = false;
};

}  // namespace orthros::vulkan
