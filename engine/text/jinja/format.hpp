// Python's two ways to put values into a pattern: "%s" % value and "{}".format(value).
#pragma once

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

// Conversions s r d i u f F e E g G x X o with flags, width and precision; %(key)s takes a dict. Errors: too
// few or too many values, an unknown conversion, a value of the wrong type.
Result<Value> formatPercent(const Text& pattern, const Value& values, Work& work);

// Fields {}, {0}, {name} with .attribute and [item]; no format specifications.
Result<Value> formatBraces(const Text& pattern, const Arguments& arguments, Work& work);

}  // namespace orthros::text::jinja
