#include "engine/cost/prediction.hpp"

#include <algorithm>
#include <limits>

#include "engine/cost/saturating.hpp"
#include "engine/phase/intervals.hpp"

namespace orthros::cost {
namespace {

uint64_t matmulFlopOf(const ModelShape& shape, uint64_t rows) {
  const uint64_t perRow = 2 * shape.layers * layerParameters(shape);
  const uint64_t outputMatrix = uint64_t{2} * shape.width * shape.vocabulary;
  return saturatingAdd(saturatingMultiply(perRow, rows), outputMatrix);
}

uint64_t rowsOf(std::span<const phase::PhaseSpan> spans) {
  uint64_t rows = 0;
  for (const phase::PhaseSpan& span : spans) rows += span.end - span.begin;
  return rows;
}

Prediction predictRows(const ModelShape& shape, const phase::PhasePlan& plan,
                       std::span<const phase::PhaseSpan> spans) {
  Prediction prediction;
  prediction.rows = rowsOf(spans);
  prediction.pairs = pairsInClosedForm(plan, spans);
  prediction.matmulFlop = matmulFlopOf(shape, prediction.rows);
  prediction.attentionFlop = saturatingMultiply(flopPerPair(shape), prediction.pairs);
  return prediction;
}

// Adds up term(layer attention, span) over layers and spans.
template <class Term>
uint64_t sumOverLayers(const phase::PhasePlan& plan, std::span<const phase::PhaseSpan> spans, Term term) {
  uint64_t sum = 0;
  for (uint32_t layer = 0; layer < plan.layers(); ++layer) {
    for (const phase::PhaseSpan& span : spans) {
      sum = saturatingAdd(sum, term(plan.attention(layer, span.phase), span));
    }
  }
  return sum;
}

phase::PhasePlan fullPlan(uint32_t layers) {
  phase::PhasePlan plan;
  plan.prefill.resize(layers);
  plan.decode.resize(layers);
  return plan;
}

}  // namespace

uint64_t pairsInClosedForm(const phase::PhasePlan& plan, std::span<const phase::PhaseSpan> spans) {
  return sumOverLayers(plan, spans, [](const phase::LayerAttention& attention, const phase::PhaseSpan& span) {
    return phase::countPairs(attention, span.begin, span.end);
  });
}

uint64_t pairsRowByRow(const phase::PhasePlan& plan, std::span<const phase::PhaseSpan> spans) {
  return sumOverLayers(plan, spans, [](const phase::LayerAttention& attention, const phase::PhaseSpan& span) {
    uint64_t pairs = 0;
    for (uint32_t row = span.begin; row < span.end; ++row) pairs += phase::keysOfRow(attention, row).keys();
    return pairs;
  });
}

uint64_t Prediction::flop() const {
  return saturatingAdd(matmulFlop, attentionFlop);
}

Prediction predictPrefill(const ModelShape& shape, const phase::PhasePlan& plan,
                          std::span<const phase::PhaseSpan> spans) {
  Prediction prediction = predictRows(shape, plan, spans);
  prediction.bytes =
      saturatingAdd(shape.weightBytes, saturatingMultiply(kvBytesPerToken(shape), prediction.rows));
  return prediction;
}

Prediction predictPrompt(const ModelShape& shape, const phase::PhasePlan& plan, uint32_t tokens) {
  return predictPrefill(shape, plan, phase::segmentSpans(plan, 0, tokens));
}

Prediction predictDecode(const ModelShape& shape, const phase::PhasePlan& plan, uint32_t depth) {
  const phase::PhaseSpan row[] = {{depth - 1, depth, phase::Phase::decode}};
  Prediction prediction = predictRows(shape, plan, row);
  prediction.bytes =
      saturatingAdd(shape.weightBytes, saturatingMultiply(kvRowBytes(shape), prediction.pairs));
  return prediction;
}

std::optional<double> prefillNs(const Prediction& prefill, const DeviceRates& rates) {
  const auto matmul = predictNs({.limit = Limit::matmul, .flop = prefill.matmulFlop}, rates);
  const auto attention = predictNs({.limit = Limit::attention, .flop = prefill.attentionFlop}, rates);
  if (!matmul || !attention) return std::nullopt;
  return *matmul + *attention;
}

std::optional<double> decodeNs(const Prediction& decode, const DeviceRates& rates) {
  return predictNs({.limit = Limit::memory, .bytes = decode.bytes}, rates);
}

uint64_t MemoryPrediction::total() const {
  return saturatingAdd(saturatingAdd(weights, kv), workspace);
}

MemoryPrediction predictMemory(const ModelShape& shape, uint32_t tokens, uint64_t workspaceBytes) {
  return {shape.weightBytes, saturatingMultiply(kvBytesPerToken(shape), tokens), workspaceBytes};
}

uint32_t largestContext(const ModelShape& shape, uint64_t budgetBytes, uint64_t workspaceBytes) {
  const uint64_t fixed = saturatingAdd(shape.weightBytes, workspaceBytes);
  const uint64_t perToken = kvBytesPerToken(shape);
  if (fixed >= budgetBytes || perToken == 0) return 0;
  const uint64_t tokens = (budgetBytes - fixed) / perToken;
  return static_cast<uint32_t>(std::min<uint64_t>(tokens, std::numeric_limits<uint32_t>::max()));
}

double speedUpFormula(double keysOfMatmuls, double eta, double tokens, double keys) {
  return (eta * keysOfMatmuls + tokens / 2) / (eta * keysOfMatmuls + keys);
}

SpeedUp predictSpeedUp(const ModelShape& shape, const phase::PhasePlan& plan, uint32_t tokens, double eta) {
  if (tokens == 0) return {};
  const Prediction full = predictPrompt(shape, fullPlan(plan.layers()), tokens);
  const Prediction phased = predictPrompt(shape, plan, tokens);
  const auto time = [eta](const Prediction& prediction) {
    return eta * static_cast<double>(prediction.matmulFlop) + static_cast<double>(prediction.attentionFlop);
  };
  return {time(full) / time(phased), static_cast<double>(full.pairs) / static_cast<double>(phased.pairs)};
}

}  // namespace orthros::cost
