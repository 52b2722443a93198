// Keys and values of one conversation on the device, per layer [kv head][capacity][head size], K rotated. The
// cache grows in pages up to its limit; rows are appended by a forward pass only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/device_model.hpp"

namespace orthros::model {

class KvCache {
 public:
  static constexpr uint32_t pageRows = 256;

  // An empty cache for at most `limitTokens` rows; memory is taken as rows come.
  static Result<std::unique_ptr<KvCache>> create(std::shared_ptr<DeviceModel> model, uint32_t limitTokens);

  uint32_t length() const { return length_; }  // rows
  uint32_t limit() const { return limit_; }    // rows
  uint32_t capacity() const;                   // rows that memory is there for in every layer
  uint64_t allocatedBytes() const;
  // What a cache of `tokens` rows takes.
  static uint64_t bytesFor(const DeviceModel& model, uint32_t tokens);

  // Forgets the rows from `length` on.
  void truncate(uint32_t length);
  // A second cache with the same rows. Errors: outOfMemory, deviceLost.
  Result<std::unique_ptr<KvCache>> copy() const;
  // The rows' bytes, [layer][K, V][kv head][length][head size] and, in a cache of bytes, behind each K and V
  // the factors [kv head][length], for snapshots and tests.
  Result<std::vector<std::byte>> read() const;

  // For Forward. Makes room for `rows` more rows. Errors: tooLong past the limit, outOfMemory: the rows and
  // the room they have stay.
  Status reserve(uint32_t rows);
  void advance(uint32_t rows) { length_ += rows; }
  kernels::KvLayer layer(uint32_t index) const;
  // Changes whenever layer() gives other buffers; no two caches share one.
  uint64_t generation() const { return generation_; }

 private:
  struct LayerBuffers {
    std::shared_ptr<vulkan::Buffer> keys, values;
    uint32_t capacity = 0;  // rows
  };
  KvCache(std::shared_ptr<DeviceModel> model, uint32_t limit) : model_(std::move(model)), limit_(limit) {}
  uint32_t wholePages(uint64_t rows) const;
  Status grow(uint32_t capacity);
  Status resize(uint32_t capacity);
  Result<std::shared_ptr<vulkan::Buffer>> createBuffer(uint32_t layer, const char* what,
                                                       uint32_t capacity) const;
  Result<LayerBuffers> resizedLayer(uint32_t layer, uint32_t capacity) const;
  Status moveRows(vulkan::Buffer* from, uint32_t fromCapacity, vulkan::Buffer& to, uint32_t toCapacity) const;
  uint64_t rowBytes() const;  // of one head

  std::shared_ptr<DeviceModel> model_;
  uint32_t limit_;
  uint32_t length_ = 0;
  uint64_t generation_ = 0;
  std::vector<LayerBuffers> layers_;
};

}  // namespace orthros::model
