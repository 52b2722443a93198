#include "engine/session/predictor.hpp"

#include <optional>
#include <utility>

namespace orthros::session {
namespace {

uint64_t wholeNs(const std::optional<double>& ns) {
  return ns ? static_cast<uint64_t>(*ns + 0.5) : 0;
}

// How many rows of a batch give a token.
uint32_t wantedRows(const BatchEvent& batch, const RunRecord& record) {
  if (batch.phase == RunPhase::decode) return batch.rows;
  return batch.firstRow + batch.rows == record.lengths.prompt ? 1 : 0;
}

// With the answer rows that were computed and not kept.
phase::PhaseSpans withComputedRows(phase::PhaseSpans spans, const RunRecord& record) {
  for (const BatchEvent& batch : record.batches)
    if (const uint32_t end = batch.firstRow + batch.rows; end > spans.length())
      spans.append({spans.length(), end, phase::Phase::decode});
  return spans;
}

}  // namespace

Predictor::Predictor(cost::ModelShape shape, cost::GraphFacts facts, std::string deviceUuid,
                     std::shared_ptr<const SpeedBook> speeds)
    : shape_(shape), facts_(facts), deviceUuid_(std::move(deviceUuid)), speeds_(std::move(speeds)) {}

void Predictor::fill(const phase::PhasePlan& plan, const phase::PhaseSpans& spans, RunRecord& record) const {
  std::vector<cost::OperationCount> perPhase[3];
  const phase::PhaseSpans computed = withComputedRows(spans, record);
  for (const BatchEvent& batch : record.batches)
    cost::addCounts(perPhase[static_cast<int>(batch.phase)],
                    cost::predictBatch(shape_, plan, facts_, computed,
                                       {batch.firstRow, batch.rows, wantedRows(batch, record)}));
  record.predicted = {};
  for (const auto& counts : perPhase) {
    const cost::OperationCount total = cost::totalOf(counts);
    record.predicted.dispatches += total.dispatches;
    record.predicted.attentionPairs += total.pairs;
    record.predicted.flop += total.flop;
    record.predicted.bytes += total.bytes;
  }
  const cost::DeviceRates known = rates();
  const auto timeOf = [&](RunPhase phase) {
    return wholeNs(cost::predictNs(perPhase[static_cast<int>(phase)], known));
  };
  record.predictedTime = {timeOf(RunPhase::prefill), timeOf(RunPhase::tail), timeOf(RunPhase::decode)};
}

uint64_t Predictor::readingNs(const phase::PhasePlan& plan, const phase::PhaseSpans& spans, uint32_t begin,
                              uint32_t maxRows) const {
  std::vector<cost::OperationCount> counts;
  for (const BatchCut& batch : cutBatches(plan, spans, begin, maxRows)) {
    const uint32_t wanted = batch.begin + batch.rows == spans.length() ? 1 : 0;
    cost::addCounts(counts,
                    cost::predictBatch(shape_, plan, facts_, spans, {batch.begin, batch.rows, wanted}));
  }
  return wholeNs(cost::predictNs(counts, rates()));
}

}  // namespace orthros::session
