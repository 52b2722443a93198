// Random plans, and conversations laid out by them, for properties that must hold for any of them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"

namespace orthros::test {

uint32_t below(std::mt19937_64& random, uint32_t limit);  // 0..limit - 1

std::vector<uint32_t> randomTokens(std::mt19937_64& random, size_t count, uint32_t vocabulary);
// Windows of up to `longestWindow` rows and half as many sinks; uniform or different per layer, in one or
// both phases.
phase::PhasePlan randomPlan(std::mt19937_64& random, uint32_t layers, uint32_t longestWindow = 12);
// A conversation of `segments` prompts, each with an answer of up to 4 tokens.
phase::PhaseSpans randomConversation(std::mt19937_64& random, const phase::PhasePlan& plan, uint32_t segments,
                                     uint32_t longestPrompt);

}  // namespace orthros::test
