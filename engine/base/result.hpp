// Result<T>: a value or an Error. ORTHROS_TRY and ORTHROS_ASSIGN pass an error on to the caller.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "engine/base/error.hpp"

namespace orthros {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string subject, std::string happened,
                                  std::string nextStep = {}) {
  return tl::unexpected<Error>(Error{code, std::move(subject), std::move(happened), std::move(nextStep)});
}

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace orthros

#define ORTHROS_CONCAT_INNER(a, b) a##b
#define ORTHROS_CONCAT(a, b) ORTHROS_CONCAT_INNER(a, b)

// Returns the error of a Status expression, if it has one.
#define ORTHROS_TRY(expression)                                                   \
  do {                                                                            \
    auto orthrosStatus = (expression);                                            \
    if (!orthrosStatus) return ::orthros::fail(std::move(orthrosStatus).error()); \
  } while (false)

// ORTHROS_ASSIGN(auto x, f()): declares x with the value of f(), or returns f()'s error.
#define ORTHROS_ASSIGN(declaration, expression) \
  ORTHROS_ASSIGN_INNER(ORTHROS_CONCAT(orthrosResult, __LINE__), declaration, expression)
#define ORTHROS_ASSIGN_INNER(result, declaration, expression)     \
  auto result = (expression);                                     \
  if (!result) return ::orthros::fail(std::move(result).error()); \
  declaration = std::move(result).value()
