// Descriptor sets for devices without push descriptors: pools that grow and are reset together.
#pragma once

#include <memory>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"

namespace orthros::vulkan {

class DescriptorPool {
 public:
  explicit DescriptorPool(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  DescriptorPool(const DescriptorPool&) = delete;
  DescriptorPool& operator=(const DescriptorPool&) = delete;
  ~DescriptorPool();

  // A set that lives until reset().
  Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout);
  void reset();

 private:
  VkResult tryAllocate(VkDescriptorSetLayout layout, VkDescriptorSet& set) const;
  Status addPool();

  std::shared_ptr<Device> device_;
  std::vector<VkDescriptorPool> pools_;
  size_t current_ = 0;
};

}  // namespace orthros::vulkan
