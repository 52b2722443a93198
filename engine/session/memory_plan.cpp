#include "engine/session/memory_plan.hpp"

#include <algorithm>
#include <string>

#include "engine/cost/saturating.hpp"

namespace orthros::session {
namespace {

// A context below this answers nothing useful; loading fails instead.
constexpr uint32_t leastContext = 256;

std::string megabytes(uint64_t bytes) {
  return std::to_string((bytes + 500'000) / 1'000'000) + " MB";
}

}  // namespace

Result<uint32_t> planContext(const MemoryNeeds& needs, uint64_t budgetBytes, uint32_t wanted,
                             uint32_t modelContext) {
  if (wanted > modelContext) {
    return fail(ErrorCode::invalidArgument, "context of " + std::to_string(wanted) + " tokens",
                "is longer than the " + std::to_string(modelContext) + " tokens the model was made for",
                "Ask for at most " + std::to_string(modelContext));
  }
  const uint64_t fixed = cost::saturatingAdd(needs.weights, needs.workspace);
  const uint64_t left = budgetBytes > fixed ? budgetBytes - fixed : 0;
  const uint64_t fitting = needs.kvPerToken == 0 ? modelContext : left / needs.kvPerToken;
  const auto largest = static_cast<uint32_t>(std::min<uint64_t>(fitting, modelContext));
  const uint32_t asked = wanted > 0 ? wanted : std::min(leastContext, modelContext);
  if (asked <= largest) return wanted > 0 ? wanted : largest;

  const uint64_t needed = cost::saturatingAdd(fixed, cost::saturatingMultiply(needs.kvPerToken, asked));
  const bool some = largest >= std::min(leastContext, modelContext);
  return fail(ErrorCode::outOfMemory, "device memory",
              "would have to hold " + megabytes(needed) + " (weights " + megabytes(needs.weights) +
                  ", context of " + std::to_string(asked) + " tokens " + megabytes(needed - fixed) +
                  ", workspace " + megabytes(needs.workspace) + "), but " + megabytes(budgetBytes) +
                  " are available",
              some ? "The largest context that fits has " + std::to_string(largest) + " tokens"
                   : "Choose a smaller model, or close programs that use the device");
}

}  // namespace orthros::session
