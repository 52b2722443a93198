// A tiny model with random weights, for properties that must hold for any model.
#pragma once

#include <cstdint>

#include "engine/reference/model.hpp"

namespace orthros::reference {

model::ModelSpec tinySpec();
ReferenceWeights tinyWeights(const model::ModelSpec& spec, uint64_t seed);

}  // namespace orthros::reference
