// A cursor over bytes of a file that never reads past their end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace orthros::gguf {

static_assert(std::endian::native == std::endian::little,
              "GGUF numbers are little-endian and read as they stand");

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t offset() const { return offset_; }
  uint64_t remaining() const { return bytes_.size() - offset_; }

  // The next `count` bytes; nothing, and no movement, where fewer remain.
  std::optional<std::span<const std::byte>> take(uint64_t count) {
    if (count > remaining()) return std::nullopt;
    const auto taken = bytes_.subspan(static_cast<size_t>(offset_), static_cast<size_t>(count));
    offset_ += count;
    return taken;
  }

  template <class Number>
  std::optional<Number> number() {
    const auto bytes = take(sizeof(Number));
    if (!bytes) return std::nullopt;
    Number value;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
};

}  // namespace orthros::gguf
