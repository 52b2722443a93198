// The keys or values of a layer as the cache holds them, in main memory: written for attention, read after
// the kernels that fill it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/kernels/tensors.hpp"

namespace orthros::kernels::test {

class CacheRows {
 public:
  // All zeros, or what was read from a device.
  CacheRows(KvFormat format, uint32_t kvHeads, uint32_t capacity, uint32_t headSize,
            std::vector<std::byte> bytes = {});

  // Stores a head's row, and replaces `row` by what its stored form stands for.
  void store(uint32_t head, uint32_t key, std::span<float> row);
  std::vector<float> values() const;  // [kv head][capacity][head size]
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  size_t rowOffset(uint32_t head, uint32_t key) const;
  size_t factorOffset(uint32_t head, uint32_t key) const;
  void load(uint32_t head, uint32_t key, std::span<float> row) const;

  KvFormat format_;
  uint32_t kvHeads_, capacity_, headSize_;
  std::vector<std::byte> bytes_;
};

inline std::string kvName(KvFormat format) {
  return format == KvFormat::f32 ? "f32" : format == KvFormat::f16 ? "f16" : "q8";
}

}  // namespace orthros::kernels::test
