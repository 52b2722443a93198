#include "engine/kernels/qkv_target.hpp"

namespace orthros::kernels {

using vulkan::Access;

const char* kvSuffix(KvFormat format) {
  static constexpr const char* suffixes[] = {"", "_kvf32", "_kvq8"};
  return suffixes[static_cast<int>(format)];
}

void QkvTarget::appendBindings(std::vector<vulkan::Binding>& bindings) const {
  static constexpr VkFormat views[] = {VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32A32_SFLOAT,
                                       VK_FORMAT_R32_UINT};
  const VkFormat cacheView = views[static_cast<int>(cache.format)];
  bindings.push_back({cache.keys, 0, vulkan::wholeRange, cacheView, Access::write});
  bindings.push_back({cache.values, 0, vulkan::wholeRange, cacheView, Access::write});
  bindings.push_back(RowTables::table(tables.rows));
  bindings.push_back({tables.angles, 0, vulkan::wholeRange, VK_FORMAT_R32G32B32A32_SFLOAT, Access::read});
}

void QkvTarget::fill(interface::ProjectionPush& push) const {
  push.heads = heads.heads;
  push.kvHeads = heads.kvHeads;
  push.headSize = heads.headSize;
  push.capacity = cache.capacity;
  push.intervals = intervals;
}

uint64_t QkvTarget::cacheBytes(uint32_t rows) const {
  return 2ull * heads.kvHeads * rows * kvHeadRowBytes(cache.format, heads.logicalHeadSize);
}

}  // namespace orthros::kernels
