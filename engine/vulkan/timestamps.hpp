// Timestamps inside one command buffer: a growing chain of query pools.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"

namespace orthros::vulkan {

// When an event ran, in ns since the recorder's first timestamp.
struct TimestampPair {
  uint64_t beginNs = 0;
  uint64_t endNs = 0;
  uint64_t durationNs() const { return endNs - beginNs; }
};

// Ticks from `begin` to `end` of a counter with `validBits` bits, which may have wrapped round once.
uint64_t elapsedTicks(uint64_t begin, uint64_t end, uint32_t validBits);

class TimestampLog {
 public:
  explicit TimestampLog(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  TimestampLog(const TimestampLog&) = delete;
  TimestampLog& operator=(const TimestampLog&) = delete;
  ~TimestampLog();

  // Forgets the stamps; the command buffer is about to be recorded anew.
  void restart() { count_ = 0; }
  // Records a stamp: the time at which all earlier commands have completed.
  Status stamp(VkCommandBuffer commands);
  size_t count() const { return count_; }

  // Every stamp in ns since the first one, after the submission has completed.
  Result<std::vector<uint64_t>> readNs() const;

 private:
  static constexpr uint32_t poolSize = 1024;

  std::shared_ptr<Device> device_;
  std::vector<VkQueryPool> pools_;
  size_t count_ = 0;
};

}  // namespace orthros::vulkan
