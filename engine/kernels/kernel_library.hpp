// The pipelines of one device: each shader variant is built once, on first request, and kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"
#include "engine/vulkan/pipeline.hpp"
#include "engine/vulkan/pipeline_cache.hpp"

namespace orthros::kernels {

// Which family of shader variants a device runs.
enum class Flavour {
  portable,   // any Vulkan 1.2 device
  cpuLanes8,  // CPU-type devices with subgroups of 8 lanes and shuffles: lavapipe with AVX2
};
const char* flavourName(Flavour flavour);

class KernelLibrary {
 public:
  // Opens the pipeline cache of the device; a missing or foreign cache file is no error.
  static std::shared_ptr<KernelLibrary> create(vulkan::Device& device);
  // The same with a given flavour, for tests. The device must be able to run it.
  static std::shared_ptr<KernelLibrary> create(vulkan::Device& device, Flavour flavour);
  static Flavour bestFlavour(const vulkan::DeviceInfo& info);

  Flavour flavour() const { return flavour_; }
  vulkan::Device& device() const { return *device_; }

  // The pipeline of shader `name` (as in shaders/CMakeLists.txt). Errors: unsupported, outOfMemory, deviceLost.
  Result<std::shared_ptr<vulkan::Pipeline>> pipeline(const std::string& name,
                                                     const std::vector<vulkan::BindingKind>& bindings,
                                                     uint32_t pushBytes,
                                                     const std::vector<uint32_t>& specialization = {});
  // Writes the pipeline cache to disk; a failure is only logged.
  void saveCache();

 private:
  KernelLibrary(vulkan::Device& device, Flavour flavour);

  std::shared_ptr<vulkan::Device> device_;
  Flavour flavour_;
  std::shared_ptr<vulkan::PipelineCache> cache_;
  std::map<std::pair<std::string, std::vector<uint32_t>>, std::shared_ptr<vulkan::Pipeline>> pipelines_;
};

}  // namespace orthros::kernels
