// The escapes of a Python string literal.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace orthros::text::jinja {

// `body` is what stands between the quotes. Error: a broken \x, \u or \U escape (without a line).
Result<std::string> unescape(std::string_view body);

}  // namespace orthros::text::jinja
