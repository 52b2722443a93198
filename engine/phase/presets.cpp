#include "engine/phase/presets.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace orthros::phase {
namespace {

enum class Pattern { full, window, windowAndSinks, interleaved };

struct PresetRow {
  PresetInfo info;
  Pattern prefill;
  Pattern decode;
  std::optional<uint32_t> tail;     // empty: taken from the options
  std::optional<uint32_t> fullMax;  // empty: taken from the options
  int freeOptions;                  // the more, the less specific
};

// clang-format off
constexpr std::array presetTable = {
    //         prefill, decode, tail, full_max, free options
    PresetRow{{"vanilla", "Every row reads everything before it, as the model was built."},
              Pattern::full, Pattern::full, 1, 0, 0},
    PresetRow{{"orthros", "Prompt rows read a window and the first tokens; the prompt's tail and the answer read everything."},
              Pattern::windowAndSinks, Pattern::full, {}, {}, 4},
    PresetRow{{"swaa", "Prompt rows read only a window; the last prompt row and the answer read everything."},
              Pattern::window, Pattern::full, 1, {}, 2},
    PresetRow{{"swa-only", "Prompt and answer rows read only a window."},
              Pattern::window, Pattern::window, 1, 0, 1},
    PresetRow{{"streaming", "Prompt and answer rows read a window and the first tokens."},
              Pattern::windowAndSinks, Pattern::windowAndSinks, 1, 0, 2},
    PresetRow{{"interleaved", "One layer in every few reads everything, the others only a window, in prompt and answer."},
              Pattern::interleaved, Pattern::interleaved, 1, 0, 2},
    PresetRow{{"tri-shape", "Prompt rows read a window and the first tokens; the last 100 and the answer read everything."},
              Pattern::windowAndSinks, Pattern::full, 100, {}, 3},
};
// clang-format on

LayerAttention layerOf(Pattern pattern, uint32_t layer, const PresetOptions& options) {
  const LayerAttention windowed{AttentionKind::window, options.window, 0};
  switch (pattern) {
    case Pattern::full:
      return {};
    case Pattern::window:
      return windowed;
    case Pattern::windowAndSinks:
      return {AttentionKind::window, options.window, options.sinks};
    case Pattern::interleaved:
      return (layer + 1) % options.interleave == 0 ? LayerAttention{} : windowed;
  }
  return {};
}

PhasePlan build(const PresetRow& row, uint32_t layers, const PresetOptions& options) {
  PhasePlan plan;
  plan.name = row.info.name;
  plan.tail = row.tail.value_or(options.tail);
  plan.fullMax = row.fullMax.value_or(options.fullMax);
  for (uint32_t layer = 0; layer < layers; ++layer) {
    plan.prefill.push_back(layerOf(row.prefill, layer, options));
    plan.decode.push_back(layerOf(row.decode, layer, options));
  }
  return plan;
}

Status checkOptions(const PresetOptions& options) {
  const std::pair<const char*, uint32_t> atLeastOne[] = {
      {"window", options.window}, {"tail", options.tail}, {"interleave", options.interleave}};
  for (const auto& [name, value] : atLeastOne) {
    if (value == 0) return fail(ErrorCode::invalidArgument, name, "is 0", "Set it to 1 or more");
  }
  return {};
}

// The options that would give the plan, if it is a preset at all.
PresetOptions optionsOf(const PhasePlan& plan) {
  PresetOptions options{.tail = plan.tail, .fullMax = plan.fullMax};
  const auto isFull = [](const LayerAttention& entry) { return entry.kind == AttentionKind::full; };
  const auto windowed = std::find_if_not(plan.prefill.begin(), plan.prefill.end(), isFull);
  const auto full = std::find_if(plan.prefill.begin(), plan.prefill.end(), isFull);
  if (windowed != plan.prefill.end()) {
    options.window = windowed->window;
    options.sinks = windowed->sinks;
  }
  if (full != plan.prefill.end()) options.interleave = static_cast<uint32_t>(full - plan.prefill.begin()) + 1;
  return options;
}

}  // namespace

std::span<const PresetInfo> presets() {
  static const auto infos = [] {
    std::array<PresetInfo, presetTable.size()> list{};
    std::transform(presetTable.begin(), presetTable.end(), list.begin(),
                   [](const PresetRow& row) { return row.info; });
    return list;
  }();
  return infos;
}

Result<PhasePlan> preset(std::string_view name, uint32_t layers, const PresetOptions& options) {
  ORTHROS_TRY(checkOptions(options));
  std::string known;
  for (const PresetRow& row : presetTable) {
    if (row.info.name == name) return build(row, layers, options);
    known += (known.empty() ? "" : ", ") + std::string(row.info.name);
  }
  return fail(ErrorCode::notFound, "plan \"" + std::string(name) + '"', "is not a named plan",
              "Choose one of " + known);
}

bool isPresetName(std::string_view name) {
  return std::any_of(presetTable.begin(), presetTable.end(),
                     [name](const PresetRow& row) { return row.info.name == name; });
}

std::string presetNameOf(const PhasePlan& plan) {
  const PresetOptions options = optionsOf(plan);
  const PresetRow* best = nullptr;
  for (const PresetRow& row : presetTable) {
    PhasePlan candidate = build(row, plan.layers(), options);
    candidate.name = plan.name;
    if (candidate != plan) continue;
    if (plan.name == row.info.name) return plan.name;
    if (!best || row.freeOptions < best->freeOptions) best = &row;
  }
  return best ? best->info.name : "custom";
}

}  // namespace orthros::phase
