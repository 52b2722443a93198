// JSON handed to a template as values.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

// Objects keep their order. All strings and keys get `origin`. Errors: nested or sized beyond the limits.
Result<Value> fromJson(const nlohmann::ordered_json& json, Origin origin);

// A text of at most maxTextBytes; `what` names it in the error.
Result<Value> boundedText(std::string_view bytes, Origin origin, std::string_view what);

}  // namespace orthros::text::jinja
