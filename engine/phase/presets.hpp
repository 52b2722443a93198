// Named plans. A preset is a few lines of data in presets.cpp; every place that lets a person choose a plan
// lists them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/phase/plan.hpp"

namespace orthros::phase {

// Sizes in tokens. A preset reads only the options its description speaks of. The defaults are those of the
// converted SmolLM2-135M.
struct PresetOptions {
  uint32_t window = 512;
  uint32_t sinks = 64;
  uint32_t tail = 128;
  uint32_t fullMax = 256;
  uint32_t interleave = 4;  // layers: every interleave-th layer is full
  bool operator==(const PresetOptions&) const = default;
};

struct PresetInfo {
  const char* name;         // as typed after --plan
  const char* description;  // one sentence for people
};

// In the order in which they should be shown.
std::span<const PresetInfo> presets();

// Errors: notFound for a name that is no preset, invalidArgument for a window, tail or interleave of 0.
Result<PhasePlan> preset(std::string_view name, uint32_t layers, const PresetOptions& options = {});

bool isPresetName(std::string_view name);

// The preset that gives this plan, with the options read off the plan: the one it is named after where that
// fits, else the one with the fewest options; "custom" where none does.
std::string presetNameOf(const PhasePlan& plan);

}  // namespace orthros::phase
