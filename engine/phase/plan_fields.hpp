// The fields of a plan as they stand in a file, before they are checked. Model files (plan_gguf.hpp) and plan
// files (plan_json.hpp) use the same field names and the same rules, so both go through here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/phase/plan.hpp"

namespace orthros::phase {

inline constexpr uint32_t planVersion = 1;

struct FieldValue {
  std::vector<uint32_t> values;  // one, or one per layer
  bool isArray = false;
  bool operator==(const FieldValue&) const = default;
};

// Keyed by field name: "prefill.window".
using PlanFields = std::map<std::string, FieldValue, std::less<>>;

struct FieldInfo {
  const char* name;
  bool perLayer;  // may be one value per layer
};

// version, prefill.kind, prefill.window, prefill.sinks, prefill.tail, segment.full_max, decode.kind, ...
std::span<const FieldInfo> planFieldTable();
// Null for a name that is no field.
const FieldInfo* findPlanField(std::string_view name);

// Checks every rule of a plan and builds it; its name is that of the preset it equals, or "custom". Missing
// fields: kinds are full, sinks 0, tail 1, full_max 0; a window has no default. `prefix` goes before the
// field name in errors. Errors: unsupported for an unknown version or kind and for reserved kinds, malformed
// for the rest.
Result<PhasePlan> planFromFields(const PlanFields& fields, uint32_t layers, uint32_t contextTokens,
                                 std::string_view prefix);

// The fields that give this plan when read; single values where all layers agree.
PlanFields fieldsFromPlan(const PhasePlan& plan);

}  // namespace orthros::phase
