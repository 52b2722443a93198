#include "engine/session/speed_book.hpp"

#include <vector>

namespace orthros::session {
namespace {

// Batches of fewer rows run the kernels that wait for memory.
constexpr double manyRows = 8.0;
// FLOP per byte below which an operation is element-wise: norms, rotations, copies.
constexpr uint64_t elementWiseIntensity = 4;

cost::Limit limitOf(const OperationTotals& operation, bool many) {
  if (!many) return cost::Limit::memory;
  if (operation.operation == "attention") return cost::Limit::attention;
  return operation.flop < elementWiseIntensity * operation.bytes ? cost::Limit::memory : cost::Limit::matmul;
}

double rowsPerBatch(const RunRecord& record, RunPhase phase) {
  double batches = 0.0;
  for (const BatchEvent& batch : record.batches) batches += batch.phase == phase ? 1.0 : 0.0;
  return batches == 0.0 ? 0.0 : static_cast<double>(record.totals(phase).rows) / batches;
}

}  // namespace

void SpeedBook::learn(const RunRecord& record) {
  // Its last rows may have been counted before they were timed.
  if (record.finish == "cancelled") return;
  Entry& entry = entries_[record.device.uuid];
  const size_t before = entry.samples.size();
  for (const OperationTotals& operation : record.operations) {
    const PhaseTotals& totals = record.totals(operation.phase);
    if (operation.deviceNs == 0 || totals.deviceNs == 0) continue;
    // People wait for the wall clock: each operation carries its share of the time between dispatches.
    const double waiting = static_cast<double>(totals.wallNs) / static_cast<double>(totals.deviceNs);
    const cost::Limit limit = limitOf(operation, rowsPerBatch(record, operation.phase) > manyRows);
    entry.samples.push_back({{limit, operation.dispatches, operation.flop, operation.bytes},
                             static_cast<double>(operation.deviceNs) * waiting});
  }
  if (entry.samples.size() == before) return;
  while (entry.samples.size() > keptSamples) entry.samples.pop_front();
  entry.rates = cost::fitRates(std::vector<cost::RateSample>(entry.samples.begin(), entry.samples.end()));
}

cost::DeviceRates SpeedBook::rates(const std::string& deviceUuid) const {
  const auto entry = entries_.find(deviceUuid);
  return entry == entries_.end() ? cost::DeviceRates{} : entry->second.rates;
}

}  // namespace orthros::session
