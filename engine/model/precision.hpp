// Storage precisions a person can choose at load. Arithmetic is always f32.
#pragma once

#include <cstdint>

namespace orthros::model {

enum class WeightPrecision : uint8_t {
  automatic,  // 4-bit affine for 4-bit files, 8-bit for other block formats and merged adapters, f16 for
              // float files
  f16,
  f32,
};
enum class KvPrecision : uint8_t {
  f16,
  f32,
  q8,  // bytes, with a factor for each row of a head
};

}  // namespace orthros::model
