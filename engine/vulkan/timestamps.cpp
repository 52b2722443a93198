#include "engine/vulkan/timestamps.hpp"

#include <algorithm>

namespace orthros::vulkan {

uint64_t elapsedTicks(uint64_t begin, uint64_t end, uint32_t validBits) {
  const uint64_t mask = validBits >= 64 ? ~uint64_t{0} : (uint64_t{1} << validBits) - 1;
  return (end - begin) & mask;
}

TimestampLog::~TimestampLog() {
  for (const VkQueryPool pool : pools_) vkDestroyQueryPool(device_->handle(), pool, nullptr);
}

Status TimestampLog::stamp(VkCommandBuffer commands) {
  const size_t pool = count_ / poolSize;
  const auto query = static_cast<uint32_t>(count_ % poolSize);
  if (pool == pools_.size()) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = poolSize;
    VkQueryPool created = VK_NULL_HANDLE;
    const VkResult result = vkCreateQueryPool(device_->handle(), &info, nullptr, &created);
    if (result != VK_SUCCESS) return fail(device_->fault(result, "timestamps", "create a query pool"));
    pools_.push_back(created);
  }
  if (query == 0) vkCmdResetQueryPool(commands, pools_[pool], 0, poolSize);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pools_[pool], query);
  ++count_;
  return {};
}

Result<std::vector<uint64_t>> TimestampLog::readNs() const {
  std::vector<uint64_t> stamps(count_);
  for (size_t first = 0; first < count_; first += poolSize) {
    const auto count = static_cast<uint32_t>(std::min<size_t>(poolSize, count_ - first));
    const VkResult result =
        vkGetQueryPoolResults(device_->handle(), pools_[first / poolSize], 0, count, count * sizeof(uint64_t),
                              &stamps[first], sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS) return fail(device_->fault(result, "timestamps", "read them"));
  }
  const DeviceLimits& limits = device_->info().limits;
  const uint64_t origin = stamps.empty() ? 0 : stamps.front();
  for (uint64_t& stamp : stamps) {
    const uint64_t ticks = elapsedTicks(origin, stamp, limits.timestampValidBits);
    stamp = static_cast<uint64_t>(static_cast<double>(ticks) * limits.timestampPeriodNs);
  }
  return stamps;
}

}  // namespace orthros::vulkan
