// How far a prompt is read.
#pragma once

#include <cstdint>

#include "engine/session/run_record.hpp"

namespace orthros::ui {

// How far the prompt of the running request is, in tokens that this run computes.
struct ReadingProgress {
  session::RunPhase phase = session::RunPhase::prefill;
  uint64_t done = 0;
  uint64_t total = 0;
  double tokensPerSecond = 0;  // of the current phase so far; 0 before its first batch
  uint64_t remainingNs = 0;    // 0 where not known
};

}  // namespace orthros::ui
