#include "engine/phase/describe.hpp"

#include <algorithm>

namespace orthros::phase {
namespace {

std::string range(uint32_t low, uint32_t high) {
  return low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high);
}

std::string describeLayers(const std::vector<LayerAttention>& layers) {
  std::vector<uint32_t> windows;
  std::vector<uint32_t> sinks;
  for (const LayerAttention& layer : layers) {
    if (layer.kind == AttentionKind::full) continue;
    windows.push_back(layer.window);
    sinks.push_back(layer.sinks);
  }
  if (windows.empty()) return "full attention";
  const auto [lowWindow, highWindow] = std::minmax_element(windows.begin(), windows.end());
  const auto [lowSinks, highSinks] = std::minmax_element(sinks.begin(), sinks.end());
  std::string text = "window " + range(*lowWindow, *highWindow);
  if (*highSinks > 0) text += " + " + range(*lowSinks, *highSinks) + " sinks";
  if (windows.size() < layers.size()) {
    text += " in " + std::to_string(windows.size()) + " of " + std::to_string(layers.size()) + " layers";
  }
  return text;
}

}  // namespace

std::string describe(const PhasePlan& plan) {
  const std::string prefill = describeLayers(plan.prefill);
  const std::string decode = describeLayers(plan.decode);
  const bool answersFull = decode == describeLayers({});
  if (plan.prefill == plan.decode) return answersFull ? prefill : prefill + ", answers too";
  const std::string lastRows = "last " + std::to_string(plan.tail);
  return prefill + ", " + lastRows + (answersFull ? " full" : " and answers " + decode);
}

}  // namespace orthros::phase
