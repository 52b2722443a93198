// Moves bytes between host memory and buffers: directly where a buffer is mapped, else through staging in
// chunks.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/result.hpp"
#include "engine/vulkan/buffer.hpp"
#include "engine/vulkan/submission.hpp"

namespace orthros::vulkan {

class Transfer {
 public:
  static constexpr uint64_t defaultChunkBytes = 32ull << 20;

  // Staging memory (two chunks each way) is allocated at the first transfer that needs it.
  explicit Transfer(Device& device, uint64_t chunkBytes = defaultChunkBytes);

  // Both return when the bytes have arrived. No submission that uses these bytes may be pending.
  // Errors: invalidArgument (past the end of the buffer), outOfMemory, deviceLost.
  Status upload(Buffer& target, uint64_t offset, std::span<const std::byte> bytes);
  Status download(Buffer& source, uint64_t offset, std::span<std::byte> bytes);

  // Gives the staging memory back.
  void releaseStaging();

 private:
  struct Slot {
    std::shared_ptr<Buffer> staging;
    std::unique_ptr<CommandRecorder> recorder;
    std::optional<Submission> submission;
  };
  using Slots = std::array<Slot, 2>;

  Status uploadStaged(Buffer& target, uint64_t offset, std::span<const std::byte> bytes);
  Status downloadStaged(Buffer& source, uint64_t offset, std::span<std::byte> bytes);
  Status prepare(Slots& slots, MemoryKind kind, const char* name);
  Status startCopy(Slot& slot, Buffer& source, Buffer& target, const VkBufferCopy& region);
  Status finish(Slot& slot);
  static void settle(Slots& slots);

  std::shared_ptr<Device> device_;
  uint64_t chunkBytes_;
  Slots uploads_;
  Slots downloads_;
};

}  // namespace orthros::vulkan
