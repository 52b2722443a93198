// Collects what happens during one run into its RunRecord.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/session/row_runner.hpp"
#include "engine/session/run_record.hpp"

namespace orthros::session {

class RunRecorder {
 public:
  // `header` brings the fields that a run does not change: model, device, plan. The run began `tokeniseNs`
  // ago.
  explicit RunRecorder(RunRecord header, uint64_t tokeniseNs = 0);

  uint64_t elapsedNs() const;
  struct Rows {
    RunPhase phase = RunPhase::prefill;
    uint32_t first = 0;
    uint32_t count = 0;
  };
  // Rows and when they were computed, in ns since the run began.
  struct Time {
    uint64_t beginNs, endNs;
  };
  void add(const Rows& rows, Time time, const RowReport& report);
  // Answer rows whose tokens were guessed: the first is right, the others count as discarded until they are
  // kept, one by one.
  void addChecked(uint32_t first, uint32_t count, Time time, const RowReport& report);
  void keepChecked();

  // Around a batch that is computed now. One that ends with `more` lasts until the next report says so.
  void beginRows();
  void endRows(const Rows& rows, bool more, const RowReport& report);
  void markFirstToken() { record_.ns.firstToken = elapsedNs(); }
  RunRecord& record() { return record_; }
  RunRecord finish(std::string reason);

 private:
  void addOperations(RunPhase phase, const RowReport& report);

  struct Running {
    Rows rows;
    RowReport report;
  };

  std::chrono::steady_clock::time_point begin_;
  uint64_t rowsBeginNs_ = 0;        // of the batch that is computed
  uint64_t callBeginNs_ = 0;        // the latest beginRows
  std::optional<Running> running_;  // ended with `more`
  RunRecord record_;
};

// ISO 8601 in UTC, such as 2026-11-30T21:05:07Z.
std::string utcNow();

}  // namespace orthros::session
