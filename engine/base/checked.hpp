// Integer arithmetic that says when it overflows. For every number that comes out of a file.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace orthros {

inline std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<uint64_t> checkedMultiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// The next multiple of `alignment` (a power of two).
inline std::optional<uint64_t> checkedAlign(uint64_t value, uint64_t alignment) {
  const auto sum = checkedAdd(value, alignment - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(alignment - 1);
}

template <class T>
constexpr T divideRoundingUp(T value, T divisor) {
  return (value + divisor - 1) / divisor;
}

template <class T>
constexpr T roundUp(T value, T multiple) {
  return divideRoundingUp(value, multiple) * multiple;
}

}  // namespace orthros
