// Python's ==, < and `in` on template values. Each charges the work it does.
#pragma once

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

Result<bool> equal(const Value& a, const Value& b, Work& work);
// Error: the two types have no order.
Result<bool> lessThan(const Value& a, const Value& b, Work& work);
// Error: `container` cannot hold anything, or a str is asked for something that is no str.
Result<bool> contains(const Value& container, const Value& item, Work& work);

}  // namespace orthros::text::jinja
