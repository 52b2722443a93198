// The block formats of GGUF tensors: sizes, conversion to and from float. Layouts: ggml's block structures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/gguf/half.hpp"

namespace orthros::gguf {

// The numbers are GGUF's own.
enum class Format : uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  bf16 = 30,
};

struct FormatTraits {
  const char* name;        // "Q4_1"
  uint32_t blockElements;  // 1, 32 or 256
  uint32_t blockBytes;
};

// Null for a number this build does not know.
const FormatTraits* traitsOf(Format format);
// From a name such as "Q4_1" or "q4_1".
Result<Format> formatFromName(std::string_view name);
// "F32, F16, Q4_0, ...": every format this build reads and writes.
std::string formatNames();
// The name of a GGUF format that this build cannot read, null for a number that GGUF does not define.
const char* foreignFormatName(uint32_t number);

// Bytes of `elements` values, a multiple of blockElements.
uint64_t formatBytes(Format format, uint64_t elements);

// Expands whole blocks: values.size() must be a multiple of blockElements and fit the bytes; only whole
// blocks that both spans hold are touched. Equal to ggml's definition to the bit. Callable concurrently.
void dequantize(Format format, std::span<const std::byte> blocks, std::span<float> values);

// Blocks close to `values`; deterministic. values.size() must be a multiple of blockElements. The scales are
// those of the extremes, or for Q4_K, Q5_K and Q6_K those of least square error among a few candidates; every
// element is then the nearest level. Values that are not finite count as 0, except in F32, F16 and BF16,
// which hold them.
std::vector<std::byte> quantize(Format format, std::span<const float> values);
// The same into memory of formatBytes(format, values.size()) bytes.
void quantize(Format format, std::span<const float> values, std::span<std::byte> blocks);

}  // namespace orthros::gguf
