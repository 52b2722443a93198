// What must hold for every plan that a reader accepted.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "engine/phase/describe.hpp"
#include "engine/phase/intervals.hpp"
#include "engine/phase/plan_gguf.hpp"
#include "engine/phase/plan_json.hpp"
#include "engine/phase/spans.hpp"

namespace orthros::phase {

constexpr uint32_t fuzzLayers = 4;
constexpr uint32_t fuzzContext = 8192;

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void checkRows(const PhasePlan& plan) {
  uint32_t begin = 0;
  for (const PhaseSpan& span : segmentSpans(plan, 0, 200)) {
    require(span.begin == begin && span.begin < span.end);
    begin = span.end;
    for (uint32_t layer = 0; layer < plan.layers(); ++layer) {
      const LayerAttention& attention = plan.attention(layer, span.phase);
      uint64_t pairs = 0;
      for (uint32_t row = span.begin; row < span.end; ++row) {
        const KeyIntervals keys = keysOfRow(attention, row);
        require(keys.sinkEnd <= keys.windowBegin && keys.windowBegin < keys.end && keys.end == row + 1);
        pairs += keys.keys();
      }
      require(pairs == countPairs(attention, span.begin, span.end));
    }
  }
  require(begin == 200);
}

// A plan that was read is valid, can be used, and survives being written and read again in both forms.
inline void checkAcceptedPlan(const PhasePlan& plan) {
  require(validate(plan, fuzzLayers, fuzzContext).has_value());
  checkRows(plan);
  require(!describe(plan).empty());
  const auto fromJson = planFromJson(toJson(plan), fuzzLayers, fuzzContext);
  require(fromJson && *fromJson == plan);
  auto fromFile = readPlan(planMetadata(plan), fuzzLayers, fuzzContext);
  require(fromFile && fromFile->present && fromFile->warnings.empty());
  fromFile->plan.name = plan.name;
  require(fromFile->plan == plan);
}

}  // namespace orthros::phase
