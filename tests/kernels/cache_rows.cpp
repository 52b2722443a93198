#include "tests/kernels/cache_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/gguf/half.hpp"

namespace orthros::kernels::test {

CacheRows::CacheRows(KvFormat format, uint32_t kvHeads, uint32_t capacity, uint32_t headSize,
                     std::vector<std::byte> bytes)
    : format_(format), kvHeads_(kvHeads), capacity_(capacity), headSize_(headSize), bytes_(std::move(bytes)) {
  bytes_.resize(size_t{kvHeads} * capacity * kvHeadRowBytes(format, headSize));
}

size_t CacheRows::rowOffset(uint32_t head, uint32_t key) const {
  return (size_t{head} * capacity_ + key) * headSize_ * kvValueBytes(format_);
}

size_t CacheRows::factorOffset(uint32_t head, uint32_t key) const {
  return size_t{kvHeads_} * capacity_ * headSize_ + (size_t{head} * capacity_ + key) * sizeof(float);
}

void CacheRows::store(uint32_t head, uint32_t key, std::span<float> row) {
  std::byte* target = bytes_.data() + rowOffset(head, key);
  float largest = 0.f;
  for (const float value : row) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < row.size(); ++i) {
    if (format_ == KvFormat::f32) {
      std::memcpy(target + i * 4, &row[i], 4);
    } else if (format_ == KvFormat::f16) {
      const uint16_t half = gguf::floatToHalf(row[i]);
      std::memcpy(target + i * 2, &half, 2);
    } else {
      target[i] = static_cast<std::byte>(std::lround(row[i] * 127.f / largest) + 128);
    }
  }
  const float factor = largest / 127.f;
  if (format_ == KvFormat::q8) std::memcpy(bytes_.data() + factorOffset(head, key), &factor, sizeof factor);
  load(head, key, row);
}

void CacheRows::load(uint32_t head, uint32_t key, std::span<float> row) const {
  const std::byte* source = bytes_.data() + rowOffset(head, key);
  float factor = 0.f;
  if (format_ == KvFormat::q8) std::memcpy(&factor, bytes_.data() + factorOffset(head, key), sizeof factor);
  for (size_t i = 0; i < row.size(); ++i) {
    if (format_ == KvFormat::f32) {
      std::memcpy(&row[i], source + i * 4, 4);
    } else if (format_ == KvFormat::f16) {
      uint16_t half = 0;
      std::memcpy(&half, source + i * 2, 2);
      row[i] = gguf::halfToFloat(half);
    } else {
      row[i] = static_cast<float>(static_cast<int>(source[i]) - 128) * factor;
    }
  }
}

std::vector<float> CacheRows::values() const {
  std::vector<float> all(size_t{kvHeads_} * capacity_ * headSize_);
  for (uint32_t head = 0; head < kvHeads_; ++head)
    for (uint32_t key = 0; key < capacity_; ++key)
      load(head, key, std::span(all).subspan((size_t{head} * capacity_ + key) * headSize_, headSize_));
  return all;
}

}  // namespace orthros::kernels::test
