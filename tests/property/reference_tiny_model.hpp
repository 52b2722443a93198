// A tiny model with random weights and random plans for it, for properties that must hold for any model.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"
#include "engine/reference/model.hpp"

namespace orthros::reference {

model::ModelSpec tinySpec();
ReferenceWeights tinyWeights(const model::ModelSpec& spec, uint64_t seed);

std::vector<uint32_t> randomTokens(std::mt19937_64& random, size_t count, uint32_t vocabulary);
// Windows and sinks of the size of a few rows; uniform or different per layer, in one or both phases.
phase::PhasePlan randomPlan(std::mt19937_64& random, uint32_t layers);
// A conversation of `segments` prompts, each with an answer, laid out by the plan.
phase::PhaseSpans randomConversation(std::mt19937_64& random, const phase::PhasePlan& plan, uint32_t segments,
                                     uint32_t longestPrompt);

}  // namespace orthros::reference
