// The Vulkan devices in use, each opened once however many models share it. Used by one thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/vulkan/device.hpp"
#include "engine/vulkan/instance.hpp"

namespace orthros::session {

class DevicePool {
 public:
  // The device with this uuid, or the best one where it is empty. A lost device is opened anew.
  Result<std::shared_ptr<vulkan::Device>> open(const std::string& uuid, bool validation);
  Result<std::vector<vulkan::DeviceInfo>> list(bool validation = false);

 private:
  Result<std::shared_ptr<vulkan::Instance>> instance(bool validation);

  std::map<bool, std::shared_ptr<vulkan::Instance>> instances_;  // by validation
  std::map<std::pair<std::string, bool>, std::weak_ptr<vulkan::Device>> devices_;
};

}  // namespace orthros::session
