// What a session asks of a forward pass with its cache. The real one runs on a Vulkan device; tests use one
// whose logits are a pure function of the rows, so that the session's own rules can be checked without a
// device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/phase/plan.hpp"
#include "engine/session/run_record.hpp"
#include "engine/text/token.hpp"

namespace orthros::session {

// Consecutive rows that follow the last cached one.
struct RowBatch {
  std::span<const text::TokenId> tokens;  // [rows], 1 <= rows <= maxBatchRows()
  std::span<const phase::Phase> phases;   // [rows]
  uint32_t wantedRows = 0;                // logits are wanted for this many last rows, 0..rows
  // Another batch of the same phase follows at once: run may return before this one is done, whose time is
  // then in the next report.
  bool more = false;
};

struct RowReport {
  EventCounts counts = {};
  uint64_t deviceNs = 0;  // 0 where tracing is off
  uint64_t submits = 0;
  uint64_t longestSubmitNs = 0;
  uint64_t previousDoneNs = 0;  // from the call until the batch before, run with `more`, was done
  std::vector<OperationTotals> operations = {};  // empty where tracing is off; the session fills in the phase
};

class RowRunner {
 public:
  virtual ~RowRunner() = default;

  virtual uint32_t capacityTokens() const = 0;
  virtual uint32_t length() const = 0;      // cached rows
  virtual uint32_t vocabulary() const = 0;  // logits per row
  virtual uint32_t maxBatchRows() const = 0;
  virtual uint64_t cacheBytes() const = 0;  // allocated on the device

  // Takes memory for `rows` more rows, where they are known to come, instead of growing step by step.
  // Error: outOfMemory; run then tries with less.
  virtual Status reserve(uint32_t) { return {}; }
  // Forgets the rows from `length` on.
  virtual void truncate(uint32_t length) = 0;
  // Appends the rows and writes `logits` [wantedRows, vocabulary]. After an error the cache holds either all
  // rows of the batch or none. Errors: cancelled, deviceLost, outOfMemory, tooLong.
  virtual Result<RowReport> run(const RowBatch& batch, std::span<float> logits,
                                const CancelToken& cancel) = 0;
  // Appends chosen.size() rows of phase D: `token`, then each time the likeliest token after the row before,
  // the lowest among equals. chosen[i] follows row i, so the last one is not cached yet. One report per row.
  // After an error the cache holds what it held before. Errors as in run.
  virtual Result<std::vector<RowReport>> generate(text::TokenId token, std::span<text::TokenId> chosen,
                                                  const CancelToken& cancel) = 0;
  virtual uint32_t maxGeneratedRows() const = 0;  // that one call may append
  // Appends rows of phase D, 1 to maxChosenRows() `tokens`, and gives the likeliest token after each, the
  // same ones that generate gives after these rows. It may append fewer rows, at least one: chosen.size().
  // After an error the cache holds what it held before. Errors as in run.
  virtual Result<RowReport> choose(std::span<const text::TokenId> tokens, std::vector<text::TokenId>& chosen,
                                   const CancelToken& cancel) = 0;
  virtual uint32_t maxChosenRows() const = 0;
  // Waits until no row is being computed, where run was called with `more` and nothing followed.
  virtual Status settle() { return {}; }
  // Another runner over the same weights whose cache begins as a copy of this one.
  virtual Result<std::unique_ptr<RowRunner>> branch() const = 0;
};

}  // namespace orthros::session
