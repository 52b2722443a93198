// Helpers of the GGUF tests: raw file images with any field spoilt, repeatable random numbers, temporary
// folders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "engine/gguf/block_format.hpp"

namespace orthros::gguf::test {

// Numbers of value types in a file.
inline constexpr uint32_t u32Type = 4, boolType = 7, stringType = 8, arrayType = 9;

// Writes GGUF fields one after the other, right or wrong, without checking anything.
class ImageBuilder {
 public:
  static ImageBuilder withHeader(uint64_t tensors, uint64_t keys, uint32_t version = 3) {
    return ImageBuilder().raw("GGUF").number(version).number(tensors).number(keys);
  }
  ImageBuilder& raw(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  template <class Number>
  ImageBuilder& number(Number value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  ImageBuilder& text(std::string_view value) { return number<uint64_t>(value.size()).raw(value); }
  ImageBuilder& key(std::string_view name, uint32_t type) { return text(name).number(type); }
  ImageBuilder& tensor(std::string_view name, std::vector<uint64_t> shape, uint32_t format, uint64_t offset) {
    text(name).number(static_cast<uint32_t>(shape.size()));
    for (const uint64_t extent : shape) number(extent);
    return number(format).number(offset);
  }
  ImageBuilder& data(size_t bytes, size_t alignment = 32) {
    while (bytes_.size() % alignment != 0) bytes_.push_back(std::byte{0});
    bytes_.resize(bytes_.size() + bytes);
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

inline std::vector<float> normalValues(size_t count, uint32_t seed, float deviation = 1.f) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0.f, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(engine);
  return values;
}

// Random blocks whose half scales are finite.
inline std::vector<std::byte> randomBlocks(Format format, size_t blocks, uint32_t seed) {
  const FormatTraits& traits = *traitsOf(format);
  std::mt19937 engine(seed);
  std::vector<std::byte> bytes(blocks * traits.blockBytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine() & 0xff);
  const auto makeFinite = [&](size_t at) { bytes[at + 1] &= std::byte{0xbf}; };  // clears an exponent bit
  const bool halves = format == Format::f16 || format == Format::bf16;
  for (size_t block = 0; block < blocks; ++block) {
    const size_t at = block * traits.blockBytes;
    if (format == Format::f32) makeFinite(at + 2);
    if (halves) makeFinite(at);
    if (format == Format::q6_k) makeFinite(at + traits.blockBytes - 2);
    if (traits.blockElements > 1 && format != Format::q6_k) {
      makeFinite(at);
      makeFinite(at + 2);  // the minimum, or harmless
    }
  }
  return bytes;
}

inline const std::vector<Format>& allFormats() {
  static const std::vector<Format> formats = {Format::f32,  Format::f16,  Format::bf16, Format::q4_0,
                                              Format::q4_1, Format::q5_0, Format::q5_1, Format::q8_0,
                                              Format::q4_k, Format::q5_k, Format::q6_k};
  return formats;
}

inline std::vector<float> expanded(Format format, std::span<const std::byte> blocks) {
  const FormatTraits& traits = *traitsOf(format);
  std::vector<float> values(blocks.size() / traits.blockBytes * traits.blockElements);
  dequantize(format, blocks, values);
  return values;
}

// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "orthros-gguf-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace orthros::gguf::test
