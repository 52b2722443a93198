#include "engine/model/kv_cache.hpp"

#include <algorithm>
#include <atomic>

#include "engine/base/checked.hpp"
#include "engine/base/log.hpp"

namespace orthros::model {
namespace {

uint64_t headRowBytes(const DeviceModel& model) {
  return kernels::kvHeadRowBytes(model.kvFormat(), model.shape().heads.headSize);
}

// The first `rows` rows of every head and their factors, from one capacity to another.
std::vector<VkBufferCopy> rowRegions(const DeviceModel& model, uint32_t rows, uint32_t fromCapacity,
                                     uint32_t toCapacity) {
  const kernels::KvFormat format = model.kvFormat();
  const uint64_t heads = model.spec().kvHeads;
  const uint64_t valuesOfRow = kernels::kvValueBytes(format) * model.shape().heads.headSize;
  std::vector<VkBufferCopy> regions;
  uint64_t from = 0, to = 0;
  for (const uint64_t rowBytes : {valuesOfRow, kernels::kvFactorBytes(format)})
    for (uint64_t head = 0; head < heads && rows * rowBytes > 0; ++head) {
      regions.push_back({from, to, rows * rowBytes});
      from += fromCapacity * rowBytes;
      to += toCapacity * rowBytes;
    }
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

uint32_t KvCache::capacity() const {
  uint32_t least = layers_.empty() ? 0 : UINT32_MAX;
  for (const LayerBuffers& layer : layers_) least = std::min(least, layer.capacity);
  return least;
}

uint64_t KvCache::allocatedBytes() const {
  uint64_t bytes = 0;
  for (const LayerBuffers& layer : layers_)
    bytes += 2ull * model_->spec().kvHeads * layer.capacity * rowBytes();
  return bytes;
}

void KvCache::truncate(uint32_t length) {
  length_ = std::min(length_, length);
}

kernels::KvLayer KvCache::layer(uint32_t index) const {
  return {layers_[index].keys.get(), layers_[index].values.get(), model_->kvFormat(),
          layers_[index].capacity};
}

Status KvCache::reserve(uint32_t rows) {
  const uint64_t needed = uint64_t{length_} + rows;
  if (needed > limit_)
    return fail(ErrorCode::tooLong, "context",
                std::to_string(needed) + " tokens are more than the limit of " + std::to_string(limit_),
                "Shorten the text or choose a larger context");
  if (needed <= capacity()) return {};
  // Half as much again, so that a long conversation copies each row only a few times.
  const uint64_t wanted = std::max<uint64_t>(needed, capacity() + capacity() / 2);
  Status grown = grow(wholePages(wanted));
  if (!grown && grown.error().code == ErrorCode::outOfMemory && wholePages(needed) < wholePages(wanted))
    grown = grow(wholePages(needed));
  return grown;
}

uint32_t KvCache::wholePages(uint64_t rows) const {
  return static_cast<uint32_t>(roundUp<uint64_t>(std::min<uint64_t>(rows, limit_), pageRows));
}

Status KvCache::grow(uint32_t capacity) {
  const uint32_t before = this->capacity();
  const Status resized = resize(capacity);
  // The memory of the layers that have grown is what others lack.
  if (!resized && !resize(before)) log::info("the cache keeps memory that it cannot use");
  return resized;
}

// Layer by layer, each releasing its old buffers at once: beyond the new cache only one layer's old memory
// exists at a time.
Status KvCache::resize(uint32_t capacity) {
  static std::atomic<uint64_t> generations = 0;
  generation_ = ++generations;
  layers_.resize(model_->spec().layers);
  for (uint32_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].capacity == capacity) continue;
    ORTHROS_ASSIGN(layers_[i], resizedLayer(i, capacity));
  }
  return {};
}

Result<KvCache::LayerBuffers> KvCache::resizedLayer(uint32_t layer, uint32_t capacity) const {
  if (capacity == 0) return LayerBuffers{};
  const LayerBuffers& old = layers_[layer];
  LayerBuffers resized{.keys = {}, .values = {}, .capacity = capacity};
  ORTHROS_ASSIGN(resized.keys, createBuffer(layer, "keys", capacity));
  ORTHROS_ASSIGN(resized.values, createBuffer(layer, "values", capacity));
  const Status keys = moveRows(old.keys.get(), old.capacity, *resized.keys, capacity);
  const Status values = keys ? moveRows(old.values.get(), old.capacity, *resized.values, capacity) : Status{};
  // Also after an error: nothing may use a buffer that goes away.
  const Status finished = model_->queue().finish();
  ORTHROS_TRY(keys);
  ORTHROS_TRY(values);
  ORTHROS_TRY(finished);
  return resized;
}

Result<std::shared_ptr<vulkan::Buffer>> KvCache::createBuffer(uint32_t layer, const char* what,
                                                              uint32_t capacity) const {
  vulkan::BufferDescription description;
  description.name = std::string(what) + " of layer " + std::to_string(layer);
  description.bytes = uint64_t{model_->spec().kvHeads} * capacity * rowBytes();
  description.category = vulkan::MemoryCategory::kv;
  return vulkan::Buffer::create(model_->device(), description);
}

Status KvCache::moveRows(vulkan::Buffer* from, uint32_t fromCapacity, vulkan::Buffer& to,
                         uint32_t toCapacity) const {
  kernels::WorkQueue& queue = model_->queue();
  // Kernels read whole tiles and mask what lies beyond a row's keys: it must be finite.
  ORTHROS_TRY(queue.fill(to, 0, to.bytes(), 0));
  if (!from || length_ == 0) return {};
  return queue.copy(*from, to, rowRegions(*model_, length_, fromCapacity, toCapacity));
}

Result<std::unique_ptr<KvCache>> KvCache::copy() const {
  ORTHROS_ASSIGN(auto other, create(model_, limit_));
  if (length_ == 0) return other;
  ORTHROS_TRY(other->reserve(length_));
  for (size_t i = 0; i < layers_.size(); ++i) {
    const auto regions = rowRegions(*model_, length_, layers_[i].capacity, other->layers_[i].capacity);
    ORTHROS_TRY(model_->queue().copy(*layers_[i].keys, *other->layers_[i].keys, regions));
    ORTHROS_TRY(model_->queue().copy(*layers_[i].values, *other->layers_[i].values, regions));
  }
  ORTHROS_TRY(model_->queue().finish());
  other->length_ = length_;
  return other;
}

Result<std::vector<std::byte>> KvCache::read() const {
  ORTHROS_TRY(model_->queue().finish());
  std::vector<std::byte> bytes(layers_.size() * 2 * model_->spec().kvHeads * length_ * rowBytes());
  auto rest = std::span(bytes);
  for (const LayerBuffers& layer : layers_)
    for (vulkan::Buffer* buffer : {layer.keys.get(), layer.values.get()})
      for (const VkBufferCopy& region : rowRegions(*model_, length_, layer.capacity, length_)) {
        ORTHROS_TRY(model_->transfer().download(*buffer, region.srcOffset, rest.first(region.size)));
        rest = rest.subspan(region.size);
      }
  return bytes;
}

}  // namespace orthros::model
