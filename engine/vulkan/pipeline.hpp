// A compute pipeline: one shader variant specialised for its constants.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"

namespace orthros::vulkan {

class PipelineCache;

enum class BindingKind { storage, uniformTexel, storageTexel };

struct PipelineDescription {
  std::string name = {};                      // for errors and debuggers
  std::span<const uint32_t> spirv = {};       // needed only during create
  std::vector<BindingKind> bindings = {};     // set 0, bindings 0..n-1
  uint32_t pushBytes = 0;                     // a multiple of 4
  std::vector<uint32_t> specialization = {};  // values of the constants with ids 0..n-1, as 32-bit patterns
  std::optional<uint32_t> requiredSubgroupSize = {};
  bool fullSubgroups =
      false;  // ask for it where the device can; local size x must be a multiple of the subgroup size
  std::string entryPoint = "main";
};

class Pipeline {
 public:
  // May be called from several threads at once, also with one cache. `cache` may be null.
  // Errors: invalidArgument (limits), unsupported (subgroup size; the driver refuses the shader),
  // outOfMemory.
  static Result<std::shared_ptr<Pipeline>> create(Device& device, const PipelineDescription& description,
                                                  PipelineCache* cache = nullptr);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();  // no submission that uses it may be pending

  const std::string& name() const { return name_; }
  const std::vector<BindingKind>& bindings() const { return bindings_; }
  uint32_t pushBytes() const { return pushBytes_; }
  VkPipeline handle() const { return pipeline_; }
  VkPipelineLayout layout() const { return layout_; }
  VkDescriptorSetLayout setLayout() const { return setLayout_; }
  // Bindings are pushed with the dispatch; else they come as a descriptor set.
  bool pushesDescriptors() const { return pushesDescriptors_; }

 private:
  Pipeline(std::shared_ptr<Device> device, const PipelineDescription& description);
  Status createLayout();
  Status createPipeline(const PipelineDescription& description, VkPipelineCache cache);

  std::shared_ptr<Device> device_;
  std::string name_;
  std::vector<BindingKind> bindings_;
  uint32_t pushBytes_ = 0;
  bool pushesDescriptors_ = false;
  VkDescriptorSetLayout setLayout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

VkDescriptorType descriptorType(BindingKind kind);

}  // namespace orthros::vulkan
