// Phase spans as JSON: [[begin, end, "P"], [begin, end, "D"], ...], contiguous from row 0.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/phase/spans.hpp"

namespace orthros::phase {

nlohmann::json toJson(const PhaseSpans& spans);
// The error names the entry ("spans[2]").
Result<PhaseSpans> spansFromJson(const nlohmann::json& json);

}  // namespace orthros::phase
