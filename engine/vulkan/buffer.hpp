// A buffer with its own device memory, usable as storage buffer, texel buffer, transfer source and target,
// and indirect dispatch argument. Few and large ones are expected: one VkDeviceMemory each.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"

namespace orthros::vulkan {

enum class MemoryKind {
  device,  // fastest for shaders; mapped only where Device::mapsDeviceBuffers()
  table,  // the host writes a little that shaders read often: mapped, on the device where the host reaches it
  upload,    // the host writes, the device copies from it: mapped
  readback,  // the host reads, mapped and cached where the device has that
};

struct BufferDescription {
  std::string name = {};  // for errors, the validation layer and debuggers
  uint64_t bytes = 0;     // must not be 0
  MemoryKind memory = MemoryKind::device;
  MemoryCategory category = MemoryCategory::workspace;
  // Formats that a device can read but not store to as texels (r16f, rg16f on some) need a buffer without it.
  bool storageTexels = true;
};

inline constexpr uint64_t wholeRange = 0;  // as a range in bytes: all that follows the offset

// Bytes of one texel of `format`; 0 for a format that no kernel uses.
uint32_t texelBytes(VkFormat format);

class Buffer {
 public:
  // Errors: outOfMemory naming the buffer and its bytes, invalidArgument. Contents are undefined at first.
  static Result<std::shared_ptr<Buffer>> create(Device& device, const BufferDescription& description);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();  // no submission that uses the buffer may be pending

  const std::string& name() const { return description_.name; }
  uint64_t bytes() const { return description_.bytes; }
  MemoryKind memory() const { return description_.memory; }
  VkBuffer handle() const { return buffer_; }
  Device& device() const { return *device_; }

  bool isMapped() const { return mapped_ != nullptr; }
  // All bytes in host memory, coherent with the device; empty where not mapped.
  std::span<std::byte> mapped() const { return {mapped_, mapped_ ? static_cast<size_t>(bytes()) : 0}; }

  // A view of [offset, offset + range) as texels, made on first use and kept as long as the buffer.
  // Errors: invalidArgument (alignment, end of buffer), unsupported (format, more than
  // maxTexelBufferElements).
  Result<VkBufferView> texelView(VkFormat format, uint64_t offset, uint64_t range = wholeRange);

  // The length of a range at `offset`, wholeRange resolved. Error: invalidArgument past the end or when
  // empty.
  Result<uint64_t> resolveRange(uint64_t offset, uint64_t range) const;

 private:
  Buffer(std::shared_ptr<Device> device, BufferDescription description);
  Status allocate();
  Status map();
  Status checkTexelView(VkFormat format, uint64_t offset, uint64_t range) const;

  std::shared_ptr<Device> device_;
  BufferDescription description_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  Device::Memory memory_;
  std::byte* mapped_ = nullptr;
  std::map<std::tuple<VkFormat, uint64_t, uint64_t>, VkBufferView> views_;
};

}  // namespace orthros::vulkan
