// Sums and products that stop at the largest number: predictions for lengths far beyond any cache stay
// ordered.
#pragma once

#include <cstdint>
#include <limits>

#include "engine/base/checked.hpp"

namespace orthros::cost {

inline uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  return checkedAdd(a, b).value_or(std::numeric_limits<uint64_t>::max());
}

inline uint64_t saturatingMultiply(uint64_t a, uint64_t b) {
  return checkedMultiply(a, b).value_or(std::numeric_limits<uint64_t>::max());
}

}  // namespace orthros::cost
