// How a template reaches into values: attributes, items, slices, and the items of anything that can be
// iterated.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

// value.name: a method or property first, then the item of that name, else undefined. Error: value is
// undefined.
Result<Value> getAttribute(const Value& value, std::string_view name);
// value[key]: the item first, then the attribute of that name, else undefined. Error: value is undefined.
Result<Value> getItem(const Value& value, const Value& key);

// Each an int, or None where it is left out.
struct SliceBounds {
  Value start, stop, step;
};
// value[start:stop:step] of a str, list or tuple. Errors: another type of value or bound, a step of zero.
Result<Value> getSlice(const Value& value, const SliceBounds& bounds, Work& work);

// The items a for loop sees: of a list, the keys of a dict, the characters of a str; none of undefined.
// Error: the value cannot be iterated.
Result<std::shared_ptr<const Sequence>> iterate(const Value& value, Work& work);

// Follows a path such as "function.name" or "0.id", or one integer.
Result<Value> getPath(const Value& value, const Value& path);

}  // namespace orthros::text::jinja
