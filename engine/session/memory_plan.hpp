// Whether a model and its context fit the device, decided before anything is loaded.
#pragma once

#include <cstdint>

#include "engine/base/result.hpp"

namespace orthros::session {

struct MemoryNeeds {
  uint64_t weights = 0;     // bytes
  uint64_t workspace = 0;   // bytes
  uint64_t kvPerToken = 0;  // bytes
};

// The context, in tokens, for which memory is there. `wanted` 0 asks for the model's own context, or as much
// of it as fits; else exactly `wanted`. Errors: invalidArgument above the model's context; outOfMemory naming
// what is needed, the budget, and the largest context that fits.
Result<uint32_t> planContext(const MemoryNeeds& needs, uint64_t budgetBytes, uint32_t wanted,
                             uint32_t modelContext);

}  // namespace orthros::session
