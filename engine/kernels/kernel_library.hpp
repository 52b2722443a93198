// The pipelines of one device: each shader variant is built once, on first request, and kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/kernels/tensors.hpp"
#include "engine/vulkan/device.hpp"
#include "engine/vulkan/pipeline.hpp"
#include "engine/vulkan/pipeline_cache.hpp"

namespace orthros::kernels {

// Which family of shader variants a device runs.
enum class Flavour {
  portable,     // any Vulkan 1.2 device
  cpuLanes8,    // CPU-type devices with subgroups of 8 lanes and shuffles: lavapipe with AVX2
  subgroups,    // GPUs with shuffles: few rows and norms run on whole subgroups, the rest is portable
  cooperative,  // the same with KHR cooperative matrices: many rows run on them, in f16 with f32 sums
};
const char* flavourName(Flavour flavour);

class KernelLibrary {
 public:
  // Opens the pipeline cache of the device; a missing or foreign cache file is no error.
  static std::shared_ptr<KernelLibrary> create(vulkan::Device& device);
  // The same with a given flavour, for tests. The device must be able to run it.
  static std::shared_ptr<KernelLibrary> create(vulkan::Device& device, Flavour flavour);
  static Flavour bestFlavour(const vulkan::DeviceInfo& info);
  static bool supports(Flavour flavour, const vulkan::DeviceInfo& info);

  Flavour flavour() const { return flavour_; }
  // How kernels of many rows hand rows to each other; the residual stream is f32 always.
  ActivationFormat manyRowsFormat() const {
    return flavour_ == Flavour::cooperative ? ActivationFormat::f16 : ActivationFormat::f32;
  }
  bool usesSubgroups() const { return flavour_ == Flavour::subgroups || flavour_ == Flavour::cooperative; }
  // Invocations of a subgroup, where the flavour fixes them.
  uint32_t subgroup() const { return subgroup_; }
  // A subgroup holds a matrix as the attention on cooperative matrices needs it. Asked of the device once.
  bool hasFragmentLayout();
  vulkan::Device& device() const { return *device_; }

  // The pipeline of shader `name` (as in shaders/CMakeLists.txt). Errors: unsupported, outOfMemory,
  // deviceLost.
  Result<std::shared_ptr<vulkan::Pipeline>> pipeline(const std::string& name,
                                                     const std::vector<vulkan::BindingKind>& bindings,
                                                     uint32_t pushBytes,
                                                     const std::vector<uint32_t>& specialization = {});
  // The same for a shader that counts on its subgroups: they are full and have subgroup() invocations.
  Result<std::shared_ptr<vulkan::Pipeline>> subgroupPipeline(
      const std::string& name, const std::vector<vulkan::BindingKind>& bindings, uint32_t pushBytes,
      const std::vector<uint32_t>& specialization = {});
  // Writes the pipeline cache to disk; a failure is only logged.
  void saveCache();

 private:
  KernelLibrary(vulkan::Device& device, Flavour flavour);
  Result<std::shared_ptr<vulkan::Pipeline>> build(vulkan::PipelineDescription description);

  std::shared_ptr<vulkan::Device> device_;
  Flavour flavour_;
  uint32_t subgroup_;
  std::optional<bool> hasFragmentLayout_;
  std::shared_ptr<vulkan::PipelineCache> cache_;
  std::map<std::pair<std::string, std::vector<uint32_t>>, std::shared_ptr<vulkan::Pipeline>> pipelines_;
};

}  // namespace orthros::kernels
