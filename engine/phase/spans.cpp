#include "engine/phase/spans.hpp"

#include <algorithm>
#include <cassert>

namespace orthros::phase {

std::vector<PhaseSpan> segmentSpans(const PhasePlan& plan, uint32_t begin, uint32_t length) {
  if (length == 0) return {};
  const uint32_t end = begin + length;
  const uint32_t fullRows = length <= plan.fullMax ? length : std::min(plan.tail, length);
  std::vector<PhaseSpan> spans;
  if (fullRows < length) spans.push_back({begin, end - fullRows, Phase::prefill});
  if (fullRows > 0) spans.push_back({end - fullRows, end, Phase::decode});
  return spans;
}

Result<PhaseSpans> PhaseSpans::fromList(std::span<const PhaseSpan> list) {
  PhaseSpans spans;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string subject = "spans[" + std::to_string(i) + ']';
    if (list[i].begin != spans.length()) {
      return fail(ErrorCode::malformed, subject,
                  "begins at row " + std::to_string(list[i].begin) + ", but the rows before it end at " +
                      std::to_string(spans.length()));
    }
    if (list[i].end <= list[i].begin) return fail(ErrorCode::malformed, subject, "holds no row");
    spans.append(list[i]);
  }
  return spans;
}

void PhaseSpans::append(PhaseSpan span) {
  if (span.end <= span.begin) return;
  assert(span.begin == length());
  if (!spans_.empty() && spans_.back().phase == span.phase) {
    spans_.back().end = span.end;
  } else {
    spans_.push_back(span);
  }
}

void PhaseSpans::appendSegment(const PhasePlan& plan, uint32_t segmentLength) {
  for (const PhaseSpan& span : segmentSpans(plan, length(), segmentLength)) append(span);
}

void PhaseSpans::truncate(uint32_t length) {
  while (!spans_.empty() && spans_.back().begin >= length) spans_.pop_back();
  if (!spans_.empty()) spans_.back().end = std::min(spans_.back().end, length);
}

Phase PhaseSpans::phaseOf(uint32_t row) const {
  assert(row < length());
  const auto after = std::upper_bound(spans_.begin(), spans_.end(), row,
                                      [](uint32_t value, const PhaseSpan& span) { return value < span.end; });
  return after->phase;
}

uint32_t PhaseSpans::rowsOf(Phase phase) const {
  uint32_t rows = 0;
  for (const PhaseSpan& span : spans_) {
    if (span.phase == phase) rows += span.end - span.begin;
  }
  return rows;
}

std::vector<PhaseSpan> PhaseSpans::slice(uint32_t begin, uint32_t end) const {
  std::vector<PhaseSpan> part;
  for (const PhaseSpan& span : spans_) {
    const PhaseSpan cut{std::max(span.begin, begin), std::min(span.end, end), span.phase};
    if (cut.begin < cut.end) part.push_back(cut);
  }
  return part;
}

uint32_t PhaseSpans::commonPrefix(const PhaseSpans& other, uint32_t limit) const {
  // Neighbouring spans differ in phase, so the first pair that is not equal decides.
  uint32_t common = 0;
  for (size_t i = 0; i < std::min(spans_.size(), other.spans_.size()); ++i) {
    if (spans_[i].phase != other.spans_[i].phase) break;
    common = std::min(spans_[i].end, other.spans_[i].end);
    if (spans_[i].end != other.spans_[i].end) break;
  }
  return std::min(common, limit);
}

}  // namespace orthros::phase
