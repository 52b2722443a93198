#include "engine/vulkan/buffer.hpp"

#include <array>
#include <vector>

namespace orthros::vulkan {
namespace {

constexpr VkMemoryPropertyFlags hostCoherent =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

std::vector<VkMemoryPropertyFlags> memoryPreferences(MemoryKind kind, bool mapsDeviceBuffers) {
  switch (kind) {
    case MemoryKind::device:
      if (mapsDeviceBuffers) {
        return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | hostCoherent, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
      }
      return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    case MemoryKind::table:
      return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | hostCoherent, hostCoherent};
    case MemoryKind::upload:
      return {hostCoherent};
    case MemoryKind::readback:
      return {hostCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, hostCoherent};
  }
  return {0};
}

VkBufferUsageFlags usageOf(const BufferDescription& description) {
  return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
         VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
         (description.storageTexels ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT : 0);
}

}  // namespace

uint32_t texelBytes(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_R8_SINT:
      return 1;
    case VK_FORMAT_R8G8_UINT:
    case VK_FORMAT_R8G8_SINT:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16_SINT:
    case VK_FORMAT_R16_SFLOAT:
      return 2;
    case VK_FORMAT_R8G8B8A8_UINT:
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_R8G8B8A8_SNORM:
    case VK_FORMAT_R16G16_UINT:
    case VK_FORMAT_R16G16_SINT:
    case VK_FORMAT_R16G16_SFLOAT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R32_SFLOAT:
      return 4;
    case VK_FORMAT_R16G16B16A16_UINT:
    case VK_FORMAT_R16G16B16A16_SINT:
    case VK_FORMAT_R16G16B16A16_SFLOAT:
    case VK_FORMAT_R32G32_UINT:
    case VK_FORMAT_R32G32_SINT:
    case VK_FORMAT_R32G32_SFLOAT:
      return 8;
    case VK_FORMAT_R32G32B32A32_UINT:
    case VK_FORMAT_R32G32B32A32_SINT:
    case VK_FORMAT_R32G32B32A32_SFLOAT:
      return 16;
    default:
      return 0;
  }
}

Result<std::shared_ptr<Buffer>> Buffer::create(Device& device, const BufferDescription& description) {
  ORTHROS_TRY(device.checkAlive());
  const uint64_t limit = device.info().limits.maxBufferBytes;
  if (description.bytes == 0)
    return fail(ErrorCode::invalidArgument, description.name, "a buffer of 0 bytes");
  if (description.bytes > limit) {
    return fail(ErrorCode::outOfMemory, description.name,
                "needs " + std::to_string(description.bytes) + " bytes in one piece, but the device allows " +
                    std::to_string(limit),
                "Choose a smaller model or context, or another device");
  }
  std::shared_ptr<Buffer> buffer(new Buffer(device.shared_from_this(), description));
  ORTHROS_TRY(buffer->allocate());
  ORTHROS_TRY(buffer->map());
  return buffer;
}

Buffer::Buffer(std::shared_ptr<Device> device, BufferDescription description)
    : device_(std::move(device)), description_(std::move(description)) {}

Buffer::~Buffer() {
  for (const auto& [key, view] : views_) vkDestroyBufferView(device_->handle(), view, nullptr);
  if (buffer_) vkDestroyBuffer(device_->handle(), buffer_, nullptr);
  device_->release(memory_, description_.category);
}

Status Buffer::allocate() {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = description_.bytes;
  info.usage = usageOf(description_);
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkResult result = vkCreateBuffer(device_->handle(), &info, nullptr, &buffer_);
  if (result != VK_SUCCESS) {
    buffer_ = VK_NULL_HANDLE;
    return fail(device_->fault(result, name(), "create a buffer of " + std::to_string(bytes()) + " bytes"));
  }
  device_->setObjectName(VK_OBJECT_TYPE_BUFFER, buffer_, name());
  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device_->handle(), buffer_, &requirements);
  const auto preferences = memoryPreferences(description_.memory, device_->mapsDeviceBuffers());
  const AllocationRequest request{name(), bytes(), description_.category};
  auto memory = device_->allocate(requirements, preferences, request);
  // Device memory that the host reaches may be a small part of it, and full.
  if (!memory && description_.memory == MemoryKind::table)
    memory = device_->allocate(requirements, std::array{hostCoherent}, request);
  if (!memory) return fail(memory.error());
  memory_ = memory.value();
  result = vkBindBufferMemory(device_->handle(), buffer_, memory_.handle, 0);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name(), "bind the buffer's memory"));
  return {};
}

Status Buffer::map() {
  const bool wanted = description_.memory != MemoryKind::device || device_->mapsDeviceBuffers();
  if (!wanted || (memory_.flags & hostCoherent) != hostCoherent) return {};
  void* address = nullptr;
  const VkResult result = vkMapMemory(device_->handle(), memory_.handle, 0, VK_WHOLE_SIZE, 0, &address);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name(), "map the buffer"));
  mapped_ = static_cast<std::byte*>(address);
  return {};
}

Result<uint64_t> Buffer::resolveRange(uint64_t offset, uint64_t range) const {
  if (offset >= bytes() || range > bytes() - offset) {
    return fail(ErrorCode::invalidArgument, name(),
                "bytes " + std::to_string(offset) + " + " + std::to_string(range) +
                    " reach past its end at " + std::to_string(bytes()));
  }
  return range == wholeRange ? bytes() - offset : range;
}

Result<VkBufferView> Buffer::texelView(VkFormat format, uint64_t offset, uint64_t range) {
  ORTHROS_ASSIGN(const uint64_t length, resolveRange(offset, range));
  const auto key = std::tuple(format, offset, length);
  if (const auto found = views_.find(key); found != views_.end()) return found->second;
  ORTHROS_TRY(checkTexelView(format, offset, length));
  VkBufferViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = buffer_;
  info.format = format;
  info.offset = offset;
  info.range = length;
  VkBufferView view = VK_NULL_HANDLE;
  const VkResult result = vkCreateBufferView(device_->handle(), &info, nullptr, &view);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name(), "create a texel view"));
  views_.emplace(key, view);
  return view;
}

Status Buffer::checkTexelView(VkFormat format, uint64_t offset, uint64_t range) const {
  const DeviceLimits& limits = device_->info().limits;
  const uint32_t texel = texelBytes(format);
  const std::string view = "a texel view of format " + std::to_string(format);
  if (texel == 0) return fail(ErrorCode::unsupported, name(), view + " is not known");
  if (offset % limits.minTexelBufferOffsetAlignment != 0 || range % texel != 0) {
    return fail(ErrorCode::invalidArgument, name(),
                view + " at byte " + std::to_string(offset) + " of " + std::to_string(range) +
                    " bytes is not aligned to " + std::to_string(limits.minTexelBufferOffsetAlignment) +
                    " and " + std::to_string(texel));
  }
  if (range / texel > limits.maxTexelBufferElements) {
    return fail(ErrorCode::unsupported, name(),
                view + " has " + std::to_string(range / texel) + " texels, more than the device's " +
                    std::to_string(limits.maxTexelBufferElements),
                "Bind the buffer in parts");
  }
  VkFormatProperties properties{};
  vkGetPhysicalDeviceFormatProperties(device_->physicalDevice(), format, &properties);
  VkFormatFeatureFlags needed = VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
  if (description_.storageTexels) needed |= VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
  if ((properties.bufferFeatures & needed) != needed) {
    return fail(ErrorCode::unsupported, name(), view + " is more than the device can do",
                "Choose another device or update its driver");
  }
  return {};
}

}  // namespace orthros::vulkan
