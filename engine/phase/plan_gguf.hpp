// The plan in a model or adapter file: the keys under "orthros.".
//
//   orthros.version                          u32, 1; without it the plan is vanilla
//   orthros.prefill.kind, .window, .sinks    u32 or u32[layers]; kind 0 full, 1 window, 2 and 3 reserved
//   orthros.prefill.tail                     u32 >= 1
//   orthros.segment.full_max                 u32
//   orthros.decode.kind, .window, .sinks     as for prefill; full by default
// Other integer types are taken where the value fits u32. orthros.rope.* and orthros.train.* belong to the
// adapter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/gguf/file.hpp"
#include "engine/phase/plan.hpp"

namespace orthros::phase {

using Metadata = std::vector<std::pair<std::string, gguf::Value>>;

struct StoredPlan {
  PhasePlan plan;
  bool present = false;               // false: no plan is stored, `plan` is vanilla
  std::vector<std::string> warnings;  // sentences; one for each unknown key under "orthros."
};

// Errors: those of planFromFields, and malformed for a value of a wrong type; the subject is the key.
Result<StoredPlan> readPlan(const Metadata& metadata, uint32_t layers, uint32_t contextTokens);
inline Result<StoredPlan> readPlan(const gguf::File& file, uint32_t layers, uint32_t contextTokens) {
  return readPlan(file.metadata(), layers, contextTokens);
}

// The keys and values that readPlan turns into `plan` again (its name is not stored).
Metadata planMetadata(const PhasePlan& plan);

}  // namespace orthros::phase
