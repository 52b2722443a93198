// Phase spans: which rows of a conversation were computed as P and which as D.
//
// A cache is only meaningful with its spans: a row's phase changes its K and V in every later layer. Spans
// are stored with the cache, are part of each prefix-reuse key, and are replayed exactly when a cache is
// rebuilt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/phase/plan.hpp"

namespace orthros::phase {

struct PhaseSpan {
  uint32_t begin = 0;  // first row
  uint32_t end = 0;    // one past the last row
  Phase phase = Phase::decode;
  bool operator==(const PhaseSpan&) const = default;
};

// The spans of a segment of `length` tokens appended at row `begin`: all D up to plan.fullMax tokens, else P
// rows followed by a tail of min(plan.tail, length) D rows. No span is empty.
std::vector<PhaseSpan> segmentSpans(const PhasePlan& plan, uint32_t begin, uint32_t length);

// The spans of a whole conversation: contiguous from row 0, neighbours of one phase joined.
class PhaseSpans {
 public:
  // Checks a list that comes from a file: contiguous from row 0, no empty span. The error names the entry.
  static Result<PhaseSpans> fromList(std::span<const PhaseSpan> list);

  void append(PhaseSpan span);  // span.begin must equal length(); an empty span is ignored
  void appendSegment(const PhasePlan& plan, uint32_t segmentLength);  // its segmentSpans, from length() on
  void truncate(uint32_t length);                                     // forgets all rows from `length` on
  uint32_t length() const { return spans_.empty() ? 0 : spans_.back().end; }
  Phase phaseOf(uint32_t row) const;  // row < length()
  uint32_t rowsOf(Phase phase) const;
  std::span<const PhaseSpan> spans() const { return spans_; }
  std::vector<PhaseSpan> slice(uint32_t begin, uint32_t end) const;  // the spans of the rows [begin, end)
  // The number of leading rows, at most `limit`, whose phase is the same in both.
  uint32_t commonPrefix(const PhaseSpans& other, uint32_t limit) const;
  bool operator==(const PhaseSpans&) const = default;

 private:
  std::vector<PhaseSpan> spans_;
};

}  // namespace orthros::phase
