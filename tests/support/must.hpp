// The value of a result that a test cannot go on without.
#pragma once

#include <stdexcept>
#include <utility>

#include "engine/base/result.hpp"

namespace orthros::test {

// Throws the error's message where there is no value; GoogleTest then fails the test with it.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}
inline void must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

}  // namespace orthros::test
