// The forward pass in double precision under a phase plan: the oracle of the engine. The mask is the literal
// predicate of the definition, applied to every (row, key); nothing here knows intervals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"
#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"
#include "engine/reference/weights.hpp"

namespace orthros::reference {

// K (rotated) and V of the rows seen so far.
class ReferenceCache {
 public:
  explicit ReferenceCache(const model::ModelSpec& spec);
  uint32_t length() const;
  void truncate(uint32_t rows);
  bool operator==(const ReferenceCache&) const = default;

 private:
  friend class ReferenceModel;
  struct Layer {
    std::vector<double> k, v;  // [row, kvHead, headSize]
    bool operator==(const Layer&) const = default;
  };
  size_t kvWidth_;
  std::vector<Layer> layers_;
};

// Rows that are computed together; row r of an append stands at position cache.length() + r.
struct ReferenceRows {
  std::span<const uint32_t> tokens;
  std::span<const phase::Phase> phases;  // as many
  size_t wantedRows = 0;                 // logits of this many last rows
};

class ReferenceModel {
 public:
  ReferenceModel(model::ModelSpec spec, ReferenceWeights weights);

  const model::ModelSpec& spec() const { return spec_; }
  ReferenceCache newCache() const { return ReferenceCache(spec_); }

  // Logits [wantedRows, vocabulary] of one masked dense pass over a whole sequence from position 0.
  Result<std::vector<double>> logits(const ReferenceRows& rows, const phase::PhasePlan& plan) const;
  // The same for rows that follow the cached ones; their K and V are added to the cache.
  // Errors: invalidArgument for an unknown token, or counts of phases, wanted rows or layers that do not fit.
  Result<std::vector<double>> append(ReferenceCache& cache, const ReferenceRows& rows,
                                     const phase::PhasePlan& plan) const;

 private:
  Status check(const ReferenceRows& rows, const phase::PhasePlan& plan) const;
  std::vector<double> embed(std::span<const uint32_t> tokens) const;
  void attend(std::vector<double>& x, const LayerWeights& weights, ReferenceCache::Layer& cache,
              const ReferenceRows& rows, uint32_t firstPosition, const phase::PhasePlan& plan,
              uint32_t layer) const;
  void feedForward(std::vector<double>& x, const LayerWeights& weights) const;

  model::ModelSpec spec_;
  ReferenceWeights weights_;
};

// One phase per row of the spans.
std::vector<phase::Phase> phasesOf(std::span<const phase::PhaseSpan> spans);

}  // namespace orthros::reference
