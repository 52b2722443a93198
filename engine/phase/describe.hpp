// A plan in words, for status lines and tables.
#pragma once

#include <string>

#include "engine/phase/plan.hpp"

namespace orthros::phase {

// "full attention", "window 512 + 64 sinks, last 128 full", "window 512 in 22 of 30 layers, answers too"
std::string describe(const PhasePlan& plan);

}  // namespace orthros::phase
