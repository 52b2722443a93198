// Values as text: Python's str() and repr(), and JSON as json.dumps(ensure_ascii=False) writes it. The origin
// of every character is kept.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

Result<Text> toText(const Value& value, Work& work);
Result<Text> toRepr(const Value& value, Work& work);

// repr() of a float: the shortest digits that read back as the same number.
std::string floatText(double number);

struct JsonStyle {
  std::optional<Text> indent;  // one level; absent writes everything on one line
  Text itemSeparator;
  Text keySeparator;
  bool sortKeys = false;
  bool asciiOnly = false;
};
// Error: a value that JSON has no form for (undefined, functions).
Result<Text> toJson(const Value& value, const JsonStyle& style, Work& work);

}  // namespace orthros::text::jinja
