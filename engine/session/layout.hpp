// A conversation as rows: its tokens and the phase of each row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/phase/spans.hpp"
#include "engine/session/run_record.hpp"
#include "engine/text/token.hpp"

namespace orthros::session {

// What is appended at once: a prompt, or an answer.
struct Segment {
  std::vector<text::TokenId> tokens;
  bool answer = false;  // answer rows are D, whoever wrote them
};

struct Layout {
  std::vector<text::TokenId> tokens;  // [rows]
  phase::PhaseSpans spans;            // of length rows
  uint32_t rows() const { return static_cast<uint32_t>(tokens.size()); }
};

// Prompt segments get the plan's spans, each on its own; answer segments are D.
Layout layOut(const phase::PhasePlan& plan, std::span<const Segment> segments);

// The leading rows that both have with the same token and the same phase.
uint32_t commonRows(const Layout& a, const Layout& b);

// Consecutive rows that one forward pass takes.
struct BatchCut {
  uint32_t begin = 0;
  uint32_t rows = 0;
  RunPhase phase = RunPhase::prefill;  // prefill or tail
  bool operator==(const BatchCut&) const = default;
};

// Cuts the rows [begin, spans.length()) into batches of at most `maxRows`. Batches end where the phase
// changes, so that every batch belongs to one phase of the record. They do not under a plan whose phases read
// the same keys, nor where one batch takes all rows: two would take a short prompt almost twice as long on a
// large device. Such a batch counts as the phase of its first row. Results never depend on the cut.
std::vector<BatchCut> cutBatches(const phase::PhasePlan& plan, const phase::PhaseSpans& spans, uint32_t begin,
                                 uint32_t maxRows);

}  // namespace orthros::session
