#include "engine/model/kv_cache.hpp"

#include <algorithm>
#include <atomic>

#include "engine/base/checked.hpp"

namespace orthros::model {
namespace {

uint64_t headRowBytes(const DeviceModel& model) {
  return uint64_t{model.shape().heads.headSize} * (model.kvFormat() == kernels::KvFormat::f32 ? 4 : 2);
}

// The first `rows` rows of every head, from one capacity to another.
std::vector<VkBufferCopy> headRegions(uint32_t heads, uint64_t rowBytes, uint32_t rows, uint32_t fromCapacity,
                                      uint32_t toCapacity) {
  std::vector<VkBufferCopy> regions;
  for (uint64_t head = 0; head < heads; ++head)
    regions.push_back({head * fromCapacity * rowBytes, head * toCapacity * rowBytes, rows * rowBytes});
  return regions;
}

}  // namespace

Result<std::unique_ptr<KvCache>> KvCache::create(std::shared_ptr<DeviceModel> model, uint32_t limitTokens) {
  if (limitTokens == 0)
    return fail(ErrorCode::invalidArgument, "context", "must hold at least one token",
                "Choose a larger context");
  return std::unique_ptr<KvCache>(new KvCache(std::move(model), limitTokens));
}

uint64_t KvCache::rowBytes() const {
  return headRowBytes(*model_);
}

uint64_t KvCache::bytesFor(const DeviceModel& model, uint32_t tokens) {
  return 2ull * model.spec().layers * model.spec().kvHeads * roundUp(tokens, pageRows) * headRowBytes(model);
}

uint64_t KvCache::allocatedBytes() const {
  return capacity_ == 0 ? 0 : bytesFor(*model_, capacity_);
}

void KvCache::truncate(uint32_t length) {
  length_ = std::min(length_, length);
}

kernels::KvLayer KvCache::layer(uint32_t index) const {
  return {layers_[index].keys.get(), layers_[index].values.get(), model_->kvFormat(), capacity_};
}

Status KvCache::reserve(uint32_t rows) {
  const uint64_t needed = uint64_t{length_} + rows;
  if (needed > limit_)
    return fail(ErrorCode::tooLong, "context",
                std::to_string(needed) + " tokens are more than the limit of " + std::to_string(limit_),
                "Shorten the text or choose a larger context");
  if (needed <= capacity_) return {};
  // Half as much again, so that a long conversation copies each row only a few times.
  const uint64_t wanted = std::max<uint64_t>(needed, capacity_ + capacity_ / 2);
  const uint32_t limitPages = roundUp(limit_, pageRows);
  return grow(static_cast<uint32_t>(std::min<uint64_t>(roundUp<uint64_t>(wanted, pageRows), limitPages)));
}

// Layer by layer, so that the old and the new memory of one layer only exist at once.
Status KvCache::grow(uint32_t capacity) {
  std::vector<LayerBuffers> grown(model_->spec().layers);
  for (uint32_t i = 0; i < grown.size(); ++i) {
    LayerBuffers old = i < layers_.size() ? layers_[i] : LayerBuffers{};
    ORTHROS_ASSIGN(grown[i].keys, enlarged(old.keys.get(), i, "keys", capacity));
    ORTHROS_ASSIGN(grown[i].values, enlarged(old.values.get(), i, "values", capacity));
  }
  static std::atomic<uint64_t> generations = 0;
  generation_ = ++generations;
  layers_ = std::move(grown);
  capacity_ = capacity;
  return {};
}

Result<std::shared_ptr<vulkan::Buffer>> KvCache::createBuffer(uint32_t layer, const char* what,
                                                              uint32_t capacity) const {
  vulkan::BufferDescription description;
  description.name = std::string(what) + " of layer " + std::to_string(layer);
  description.bytes = uint64_t{model_->spec().kvHeads} * capacity * rowBytes();
  description.category = vulkan::MemoryCategory::kv;
  return vulkan::Buffer::create(model_->device(), description);
}

Result<std::shared_ptr<vulkan::Buffer>> KvCache::enlarged(vulkan::Buffer* old, uint32_t layer,
                                                          const char* what, uint32_t capacity) const {
  ORTHROS_ASSIGN(auto buffer, createBuffer(layer, what, capacity));
  kernels::WorkQueue& queue = model_->queue();
  // Kernels read whole tiles and mask what lies beyond a row's keys: it must be finite.
  ORTHROS_TRY(queue.fill(*buffer, 0, buffer->bytes(), 0));
  if (old && length_ > 0)
    ORTHROS_TRY(queue.copy(*old, *buffer,
                           headRegions(model_->spec().kvHeads, rowBytes(), length_, capacity_, capacity)));
  ORTHROS_TRY(queue.finish());
  return buffer;
}

Result<std::unique_ptr<KvCache>> KvCache::copy() const {
  ORTHROS_ASSIGN(auto other, create(model_, limit_));
  if (length_ == 0) return other;
  ORTHROS_TRY(other->reserve(length_));
  const auto regions = headRegions(model_->spec().kvHeads, rowBytes(), length_, capacity_, other->capacity_);
  for (size_t i = 0; i < layers_.size(); ++i) {
    ORTHROS_TRY(model_->queue().copy(*layers_[i].keys, *other->layers_[i].keys, regions));
    ORTHROS_TRY(model_->queue().copy(*layers_[i].values, *other->layers_[i].values, regions));
  }
  ORTHROS_TRY(model_->queue().finish());
  other->length_ = length_;
  return other;
}

Result<std::vector<std::byte>> KvCache::read() const {
  const uint64_t headBytes = length_ * rowBytes();
  std::vector<std::byte> bytes(layers_.size() * 2 * model_->spec().kvHeads * headBytes);
  auto rest = std::span(bytes);
  for (const LayerBuffers& layer : layers_)
    for (vulkan::Buffer* buffer : {layer.keys.get(), layer.values.get()})
      for (uint64_t head = 0; head < model_->spec().kvHeads && headBytes > 0; ++head) {
        ORTHROS_TRY(
            model_->transfer().download(*buffer, head * capacity_ * rowBytes(), rest.first(headBytes)));
        rest = rest.subspan(headBytes);
      }
  return bytes;
}

}  // namespace orthros::model
