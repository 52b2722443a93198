#include "engine/session/run_recorder.hpp"

#include <algorithm>
#include <ctime>
#include <string>

namespace orthros::session {

RunRecorder::RunRecorder(RunRecord header, uint64_t tokeniseNs)
    : begin_(std::chrono::steady_clock::now() - std::chrono::nanoseconds(tokeniseNs)),
      record_(std::move(header)) {
  record_.startedAt = utcNow();
  record_.ns.tokenise = tokeniseNs;
}

uint64_t RunRecorder::elapsedNs() const {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_)
          .count());
}

void RunRecorder::beginRows() {
  callBeginNs_ = elapsedNs();
  if (!running_) rowsBeginNs_ = callBeginNs_;
}

void RunRecorder::endRows(const Rows& rows, bool more, const RowReport& report) {
  if (running_) {
    const uint64_t endNs = callBeginNs_ + report.previousDoneNs;
    add(running_->rows, {rowsBeginNs_, endNs}, running_->report);
    rowsBeginNs_ = endNs;
    running_.reset();
  }
  if (more) {
    running_ = Running{rows, report};
  } else {
    add(rows, {rowsBeginNs_, elapsedNs()}, report);
  }
}

void RunRecorder::add(const Rows& rows, Time time, const RowReport& report) {
  record_.batches.push_back({rows.phase, rows.first, rows.count, time.beginNs, time.endNs});
  PhaseTotals& totals = record_.totals(rows.phase);
  totals.rows += rows.count;
  totals.wallNs += time.endNs - time.beginNs;
  totals.deviceNs += report.deviceNs;
  totals.submits += report.submits;
  totals.longestSubmitNs = std::max(totals.longestSubmitNs, report.longestSubmitNs);
  record_.measured.dispatches += report.counts.dispatches;
  record_.measured.attentionPairs += report.counts.attentionPairs;
  record_.measured.flop += report.counts.flop;
  record_.measured.bytes += report.counts.bytes;
  addOperations(rows.phase, report);
}

void RunRecorder::addChecked(uint32_t first, uint32_t count, Time time, const RowReport& report) {
  add({RunPhase::decode, first, count}, time, report);
  record_.decode.rows -= count - 1;
  record_.decode.discarded += count - 1;
}

void RunRecorder::keepChecked() {
  ++record_.decode.rows;
  --record_.decode.discarded;
}

void RunRecorder::addOperations(RunPhase phase, const RowReport& report) {
  for (const OperationTotals& added : report.operations) {
    auto same =
        std::find_if(record_.operations.begin(), record_.operations.end(), [&](const OperationTotals& known) {
          return known.phase == phase && known.operation == added.operation;
        });
    if (same == record_.operations.end()) {
      same = record_.operations.insert(same, OperationTotals{.operation = added.operation, .phase = phase});
    }
    same->dispatches += added.dispatches;
    same->deviceNs += added.deviceNs;
    same->flop += added.flop;
    same->bytes += added.bytes;
  }
}

RunRecord RunRecorder::finish(std::string reason) {
  // Cancelled between two batches.
  if (running_) add(running_->rows, {rowsBeginNs_, elapsedNs()}, running_->report);
  running_.reset();
  record_.finish = std::move(reason);
  record_.ns.total = elapsedNs();
  return std::move(record_);
}

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace orthros::session
