#include "engine/vulkan/transfer.hpp"

#include <algorithm>
#include <cstring>

namespace orthros::vulkan {

Transfer::Transfer(Device& device, uint64_t chunkBytes)
    : device_(device.shared_from_this()), chunkBytes_(std::max<uint64_t>(chunkBytes, 4)) {}

Status Transfer::upload(Buffer& target, uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  ORTHROS_TRY(target.resolveRange(offset, bytes.size()));
  if (target.isMapped()) {
    std::memcpy(target.mapped().data() + offset, bytes.data(), bytes.size());
    return {};
  }
  const Status status = uploadStaged(target, offset, bytes);
  settle(uploads_);
  return status;
}

Status Transfer::uploadStaged(Buffer& target, uint64_t offset, std::span<const std::byte> bytes) {
  ORTHROS_TRY(prepare(uploads_, MemoryKind::upload, "upload"));
  size_t turn = 0;
  for (uint64_t done = 0; done < bytes.size(); ++turn) {
    Slot& slot = uploads_[turn % uploads_.size()];
    ORTHROS_TRY(finish(slot));
    const auto chunk = bytes.subspan(done, std::min<uint64_t>(chunkBytes_, bytes.size() - done));
    std::memcpy(slot.staging->mapped().data(), chunk.data(), chunk.size());
    ORTHROS_TRY(startCopy(slot, *slot.staging, target, {0, offset + done, chunk.size()}));
    done += chunk.size();
  }
  for (Slot& slot : uploads_) ORTHROS_TRY(finish(slot));
  return {};
}

Status Transfer::download(Buffer& source, uint64_t offset, std::span<std::byte> bytes) {
  if (bytes.empty()) return {};
  ORTHROS_TRY(source.resolveRange(offset, bytes.size()));
  if (source.isMapped()) {
    std::memcpy(bytes.data(), source.mapped().data() + offset, bytes.size());
    return {};
  }
  const Status status = downloadStaged(source, offset, bytes);
  settle(downloads_);
  return status;
}

Status Transfer::downloadStaged(Buffer& source, uint64_t offset, std::span<std::byte> bytes) {
  ORTHROS_TRY(prepare(downloads_, MemoryKind::readback, "download"));
  const uint64_t chunks = (bytes.size() + chunkBytes_ - 1) / chunkBytes_;
  const auto chunkOf = [&](uint64_t index) {
    return bytes.subspan(index * chunkBytes_,
                         std::min<uint64_t>(chunkBytes_, bytes.size() - index * chunkBytes_));
  };
  // The device copies chunk i while the host empties chunk i - 1.
  for (uint64_t i = 0; i <= chunks; ++i) {
    if (i < chunks) {
      Slot& slot = downloads_[i % downloads_.size()];
      ORTHROS_TRY(startCopy(slot, source, *slot.staging, {offset + i * chunkBytes_, 0, chunkOf(i).size()}));
    }
    if (i > 0) {
      Slot& slot = downloads_[(i - 1) % downloads_.size()];
      ORTHROS_TRY(finish(slot));
      std::memcpy(chunkOf(i - 1).data(), slot.staging->mapped().data(), chunkOf(i - 1).size());
    }
  }
  return {};
}

void Transfer::releaseStaging() {
  uploads_ = {};
  downloads_ = {};
}

Status Transfer::prepare(Slots& slots, MemoryKind kind, const char* name) {
  for (Slot& slot : slots) {
    if (!slot.staging) {
      ORTHROS_ASSIGN(slot.staging, Buffer::create(*device_, {.name = name,
                                                             .bytes = chunkBytes_,
                                                             .memory = kind,
                                                             .category = MemoryCategory::staging}));
    }
    if (!slot.recorder) {
      ORTHROS_ASSIGN(slot.recorder, CommandRecorder::create(*device_, {.name = name}));
    }
  }
  return {};
}

Status Transfer::startCopy(Slot& slot, Buffer& source, Buffer& target, const VkBufferCopy& region) {
  ORTHROS_TRY(slot.recorder->begin());
  ORTHROS_TRY(slot.recorder->copyBuffer(source, target, {&region, 1}));
  ORTHROS_TRY(slot.recorder->end());
  ORTHROS_ASSIGN(slot.submission, submit(*slot.recorder));
  return {};
}

Status Transfer::finish(Slot& slot) {
  if (!slot.submission) return {};
  const Status waited = slot.submission->wait();
  slot.submission.reset();
  return waited;
}

// After an error a copy may still run; the caller's buffer must not be in use when the call returns.
void Transfer::settle(Slots& slots) {
  for (Slot& slot : slots) slot.submission.reset();
}

}  // namespace orthros::vulkan
