#include "engine/session/layout.hpp"

#include <algorithm>

namespace orthros::session {
namespace {

RunPhase runPhaseOf(phase::Phase phase) {
  return phase == phase::Phase::prefill ? RunPhase::prefill : RunPhase::tail;
}

}  // namespace

Layout layOut(const phase::PhasePlan& plan, std::span<const Segment> segments) {
  Layout layout;
  for (const Segment& segment : segments) {
    const uint32_t begin = layout.rows();
    const auto length = static_cast<uint32_t>(segment.tokens.size());
    layout.tokens.insert(layout.tokens.end(), segment.tokens.begin(), segment.tokens.end());
    if (segment.answer) {
      layout.spans.append({begin, begin + length, phase::Phase::decode});
    } else {
      layout.spans.appendSegment(plan, length);
    }
  }
  return layout;
}

uint32_t commonRows(const Layout& a, const Layout& b) {
  const uint32_t limit = std::min(a.rows(), b.rows());
  const auto [end, _] = std::mismatch(a.tokens.begin(), a.tokens.begin() + limit, b.tokens.begin());
  return a.spans.commonPrefix(b.spans, static_cast<uint32_t>(end - a.tokens.begin()));
}

std::vector<BatchCut> cutBatches(const phase::PhasePlan& plan, const phase::PhaseSpans& spans, uint32_t begin,
                                 uint32_t maxRows) {
  const bool phasesDiffer = plan.prefill != plan.decode && spans.length() - begin > maxRows;
  std::vector<BatchCut> batches;
  for (const phase::PhaseSpan& span : spans.spans()) {
    for (uint32_t row = std::max(span.begin, begin); row < span.end;) {
      const bool joins = !phasesDiffer && !batches.empty() && batches.back().rows < maxRows;
      if (!joins) batches.push_back({row, 0, runPhaseOf(span.phase)});
      const uint32_t taken = std::min(maxRows - batches.back().rows, span.end - row);
      batches.back().rows += taken;
      row += taken;
    }
  }
  return batches;
}

}  // namespace orthros::session
