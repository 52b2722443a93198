// One case in the form of the golden files: token ids with explicit phases, a window, and which weights to
// use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.hpp"
#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"
#include "engine/session/layout.hpp"

namespace orthros::evaluate {

struct GoldenCase {
  std::string name;
  std::vector<text::TokenId> ids;
  phase::PhaseSpans spans;  // of the ids; all D where the file gives none
  uint32_t window = 0;      // of P rows, every layer; 0: full attention
  uint32_t sinks = 0;
  bool adapter = false;      // "weights": "adapter"
  bool ropeFactors = false;  // "rope": "adapter"; without, the adapter's RoPE factors are left out

  session::Layout layout() const { return {ids, spans}; }
  // Window and sinks in prefill, full attention in decode.
  phase::PhasePlan plan(uint32_t layers) const;
};

// Errors name the field.
Result<GoldenCase> goldenCaseFromJson(const nlohmann::json& json);
// `json` is one case, or holds "cases" or "prompts"; then `name` selects, which may stay empty for an only
// case.
Result<GoldenCase> chooseCase(const nlohmann::json& json, const std::string& name);

// A copy of an adapter file without its RoPE factors: the wrong answer of a program that ignores them.
Status copyWithoutRopeFactors(const std::filesystem::path& adapter, const std::filesystem::path& target);

}  // namespace orthros::evaluate
