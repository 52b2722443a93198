#include "engine/reference/model.hpp"

#include <algorithm>
#include <numeric>

#include "engine/reference/operations.hpp"

namespace orthros::reference {
namespace {

void addTo(std::vector<double>& x, const std::vector<double>& more) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += more[i];
}

// x [rows, outputs] plus bias [outputs], if there is one.
std::vector<double> biased(std::vector<double> x, std::span<const float> bias) {
  if (bias.empty()) return x;
  for (size_t i = 0; i < x.size(); ++i) x[i] += bias[i % bias.size()];
  return x;
}

}  // namespace

ReferenceCache::ReferenceCache(const model::ModelSpec& spec)
    : kvWidth_(size_t{spec.kvHeads} * spec.headSize), layers_(spec.layers) {}

uint32_t ReferenceCache::length() const {
  return layers_.empty() ? 0 : static_cast<uint32_t>(layers_[0].k.size() / kvWidth_);
}

void ReferenceCache::truncate(uint32_t rows) {
  if (rows >= length()) return;
  for (Layer& layer : layers_) {
    layer.k.resize(rows * kvWidth_);
    layer.v.resize(rows * kvWidth_);
  }
}

ReferenceModel::ReferenceModel(model::ModelSpec spec, ReferenceWeights weights)
    : spec_(std::move(spec)), weights_(std::move(weights)) {}

Result<std::vector<double>> ReferenceModel::logits(const ReferenceRows& rows,
                                                   const phase::PhasePlan& plan) const {
  ReferenceCache cache = newCache();
  return append(cache, rows, plan);
}

Result<std::vector<double>> ReferenceModel::append(ReferenceCache& cache, const ReferenceRows& rows,
                                                   const phase::PhasePlan& plan) const {
  ORTHROS_TRY(check(rows, plan));
  const uint32_t firstPosition = cache.length();
  std::vector<double> x = embed(rows.tokens);
  for (uint32_t layer = 0; layer < spec_.layers; ++layer) {
    attend(x, weights_.layers[layer], cache.layers_[layer], rows, firstPosition, plan, layer);
    feedForward(x, weights_.layers[layer]);
  }
  const auto wanted = std::span<const double>(x).last(rows.wantedRows * spec_.width);
  const std::vector<float>& output = weights_.output.empty() ? weights_.embedding : weights_.output;
  return matmul(rmsNorm(wanted, weights_.outputNorm, spec_.normEpsilon), output, spec_.width);
}

Status ReferenceModel::check(const ReferenceRows& rows, const phase::PhasePlan& plan) const {
  if (rows.phases.size() != rows.tokens.size())
    return fail(ErrorCode::invalidArgument, "phases", "are not one per token");
  if (rows.wantedRows > rows.tokens.size())
    return fail(ErrorCode::invalidArgument, "wanted rows", "are more than all rows");
  for (const uint32_t token : rows.tokens) {
    if (token >= spec_.vocabulary) {
      return fail(ErrorCode::invalidArgument, "token " + std::to_string(token), "is not in the vocabulary");
    }
  }
  return phase::validate(plan, spec_.layers, UINT32_MAX);
}

std::vector<double> ReferenceModel::embed(std::span<const uint32_t> tokens) const {
  std::vector<double> x;
  for (const uint32_t token : tokens) {
    const auto row = std::span(weights_.embedding).subspan(size_t{token} * spec_.width, spec_.width);
    x.insert(x.end(), row.begin(), row.end());
  }
  return x;
}

void ReferenceModel::attend(std::vector<double>& x, const LayerWeights& weights, ReferenceCache::Layer& cache,
                            const ReferenceRows& rows, uint32_t firstPosition, const phase::PhasePlan& plan,
                            uint32_t layer) const {
  const std::vector<double> normed = rmsNorm(x, weights.attentionNorm, spec_.normEpsilon);
  std::vector<double> q = biased(matmul(normed, weights.q, spec_.width), weights.qBias);
  std::vector<double> k = biased(matmul(normed, weights.k, spec_.width), weights.kBias);
  const std::vector<double> v = biased(matmul(normed, weights.v, spec_.width), weights.vBias);
  std::vector<uint32_t> positions(rows.tokens.size());
  std::iota(positions.begin(), positions.end(), firstPosition);
  rope(q, spec_.heads, spec_.headSize, positions, spec_.rope);
  rope(k, spec_.kvHeads, spec_.headSize, positions, spec_.rope);
  cache.k.insert(cache.k.end(), k.begin(), k.end());
  cache.v.insert(cache.v.end(), v.begin(), v.end());
  const auto reads = [&](size_t row, size_t key) {
    return readsKey(plan.attention(layer, rows.phases[row]), positions[row], static_cast<uint32_t>(key));
  };
  const AttentionShape shape{spec_.heads, spec_.kvHeads, spec_.headSize, spec_.attentionScale};
  const std::vector<double> mixed = attention(q, cache.k, cache.v, shape, reads);
  addTo(x, matmul(mixed, weights.attentionOutput, size_t{spec_.heads} * spec_.headSize));
}

void ReferenceModel::feedForward(std::vector<double>& x, const LayerWeights& weights) const {
  const std::vector<double> normed = rmsNorm(x, weights.feedForwardNorm, spec_.normEpsilon);
  const std::vector<double> hidden =
      swiglu(matmul(normed, weights.gate, spec_.width), matmul(normed, weights.up, spec_.width));
  addTo(x, matmul(hidden, weights.down, spec_.feedForward));
}

std::vector<phase::Phase> phasesOf(std::span<const phase::PhaseSpan> spans) {
  std::vector<phase::Phase> phases;
  for (const phase::PhaseSpan& span : spans) phases.insert(phases.end(), span.end - span.begin, span.phase);
  return phases;
}

}  // namespace orthros::reference
