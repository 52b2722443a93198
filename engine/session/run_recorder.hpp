// Collects what happens during one run into its RunRecord.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/session/row_runner.hpp"
#include "engine/session/run_record.hpp"

namespace orthros::session {

class RunRecorder {
 public:
  // `header` brings the fields that a run does not change: model, device, plan. The run began `tokeniseNs`
  // ago.
  explicit RunRecorder(RunRecord header, uint64_t tokeniseNs = 0);

  uint64_t elapsedNs() const;
  // Rows and when they were computed, in ns since the run began.
  struct Time {
    uint64_t beginNs, endNs;
  };
  void add(RunPhase phase, uint32_t firstRow, uint32_t rows, Time time, const RowReport& report);
  void markFirstToken() { record_.ns.firstToken = elapsedNs(); }
  RunRecord& record() { return record_; }
  RunRecord finish(std::string reason);

 private:
  void addOperations(RunPhase phase, const RowReport& report);

  std::chrono::steady_clock::time_point begin_;
  RunRecord record_;
};

// ISO 8601 in UTC, such as 2026-11-30T21:05:07Z.
std::string utcNow();

}  // namespace orthros::session
