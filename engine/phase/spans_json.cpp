#include "engine/phase/spans_json.hpp"

#include <optional>

namespace orthros::phase {
namespace {

using nlohmann::json;

bool isRow(const json& value) {
  return value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX;
}

std::optional<PhaseSpan> spanFrom(const json& entry) {
  if (!entry.is_array() || entry.size() != 3 || !isRow(entry[0]) || !isRow(entry[1])) return std::nullopt;
  if (entry[2] != "P" && entry[2] != "D") return std::nullopt;
  return PhaseSpan{entry[0].get<uint32_t>(), entry[1].get<uint32_t>(),
                   entry[2] == "P" ? Phase::prefill : Phase::decode};
}

}  // namespace

json toJson(const PhaseSpans& spans) {
  json list = json::array();
  for (const PhaseSpan& span : spans.spans()) {
    list.push_back({span.begin, span.end, span.phase == Phase::prefill ? "P" : "D"});
  }
  return list;
}

Result<PhaseSpans> spansFromJson(const json& source) {
  if (!source.is_array()) return fail(ErrorCode::malformed, "spans", "is not a list");
  std::vector<PhaseSpan> list;
  for (size_t i = 0; i < source.size(); ++i) {
    const auto span = spanFrom(source[i]);
    if (!span) {
      return fail(ErrorCode::malformed, "spans[" + std::to_string(i) + ']',
                  "is not [begin, end, \"P\" or \"D\"]");
    }
    list.push_back(*span);
  }
  return PhaseSpans::fromList(list);
}

}  // namespace orthros::phase
