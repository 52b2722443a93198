#include "engine/session/device_pool.hpp"

namespace orthros::session {

Result<std::shared_ptr<vulkan::Instance>> DevicePool::instance(bool validation) {
  std::shared_ptr<vulkan::Instance>& known = instances_[validation];
  if (!known) {
    ORTHROS_ASSIGN(known, vulkan::Instance::create({.validation = validation, .onMessage = {}}));
  }
  return known;
}

Result<std::vector<vulkan::DeviceInfo>> DevicePool::list(bool validation) {
  ORTHROS_ASSIGN(const auto loader, instance(validation));
  return loader->devices();
}

Result<std::shared_ptr<vulkan::Device>> DevicePool::open(const std::string& uuid, bool validation) {
  ORTHROS_ASSIGN(const auto loader, instance(validation));
  ORTHROS_ASSIGN(const auto devices, loader->devices());
  ORTHROS_ASSIGN(const vulkan::DeviceInfo info, vulkan::chooseDevice(devices, uuid));
  std::weak_ptr<vulkan::Device>& known = devices_[{info.uuid, validation}];
  if (auto device = known.lock(); device && !device->lost()) return device;
  ORTHROS_ASSIGN(auto device, vulkan::Device::open(loader, info));
  known = device;
  return device;
}

}  // namespace orthros::session
