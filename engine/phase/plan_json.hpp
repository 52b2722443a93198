// Plan files: the fields of the model file's keys (plan_gguf.hpp) as JSON, for --plan FILE, exports and run
// records.
//
//   {"name": "mine", "prefill": {"kind": "window", "window": 512, "sinks": 64, "tail": 128},
//    "segment": {"full_max": 256}, "decode": {"kind": "full"}}
// kind is "full" or "window". kind, window and sinks may each be an array with one entry per layer. "version"
// (1), "name" and every field with a default may be left out.
#pragma once

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/phase/plan.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::phase {

nlohmann::json toJson(const PhasePlan& plan);

// Errors: those of planFromFields, and malformed for a wrong type or an unknown field. The subject is the
// field ("prefill.window"), or "plan" where `json` is no object. A plan that bears the name of a preset it
// does not equal gets the name that presetNameOf says.
Result<PhasePlan> planFromJson(const nlohmann::json& json, uint32_t layers, uint32_t contextTokens);
// The same from text; an error of syntax names line and column.
Result<PhasePlan> parsePlan(std::string_view text, uint32_t layers, uint32_t contextTokens);
// The same from a file; errors name the file and, where its contents are at fault, the field.
Result<PhasePlan> readPlanFile(const std::filesystem::path& path, uint32_t layers, uint32_t contextTokens);

// What a person may write after --plan: the name of a preset or a plan file.
Result<PhasePlan> choosePlan(std::string_view nameOrFile, uint32_t layers, uint32_t contextTokens,
                             const PresetOptions& options = {});

}  // namespace orthros::phase
