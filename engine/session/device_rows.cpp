#include "engine/session/device_rows.hpp"

#include <algorithm>

#include "engine/base/log.hpp"

namespace orthros::session {
namespace {

RowReport reportOf(const model::BatchReport& batch, bool tracing) {
  RowReport report;
  report.submits = batch.work.submits;
  report.longestSubmitNs = batch.work.longestSubmitNs;
  report.previousDoneNs = batch.previousDoneNs;
  report.counts.attentionPairs = batch.attentionPairs;
  for (const auto& [name, operation] : batch.work.operations) {
    // The choice of a token is the sampler's work, not the graph's.
    if (name != kernels::Argmax::operation) {
      report.counts.dispatches += operation.dispatches;
      report.counts.flop += operation.flop;
      report.counts.bytes += operation.bytes;
    }
    report.deviceNs += operation.deviceNs;
    if (!tracing) continue;
    report.operations.push_back({.operation = name,
                                 .dispatches = operation.dispatches,
                                 .deviceNs = operation.deviceNs,
                                 .flop = operation.flop,
                                 .bytes = operation.bytes});
  }
  return report;
}

}  // namespace

DeviceRows::DeviceRows(std::shared_ptr<model::DeviceModel> model, std::shared_ptr<model::Forward> forward,
                       std::unique_ptr<model::KvCache> cache, bool tracing)
    : model_(std::move(model)), forward_(std::move(forward)), cache_(std::move(cache)), tracing_(tracing) {}

// Nothing may use the cache or the workspace when they go away.
DeviceRows::~DeviceRows() {
  const Status settled = DeviceRows::settle();
  if (!settled) log::info("rows ended: {}", settled.error().message());
}

Result<std::unique_ptr<DeviceRows>> DeviceRows::create(const std::shared_ptr<model::DeviceModel>& model,
                                                       const phase::PhasePlan& plan, uint32_t contextTokens,
                                                       bool tracing) {
  ORTHROS_ASSIGN(std::shared_ptr<model::Forward> forward, model::Forward::create(model, plan));
  ORTHROS_ASSIGN(auto cache, model::KvCache::create(model, contextTokens));
  return std::unique_ptr<DeviceRows>(new DeviceRows(model, std::move(forward), std::move(cache), tracing));
}

Result<RowReport> DeviceRows::run(const RowBatch& batch, std::span<float> logits, const CancelToken& cancel) {
  ORTHROS_ASSIGN(const auto report,
                 forward_->run(*cache_, {batch.tokens, batch.phases, batch.wantedRows, batch.more}, logits,
                               cancel, tracing_));
  return reportOf(report, tracing_);
}

Result<std::vector<RowReport>> DeviceRows::generate(text::TokenId token, std::span<text::TokenId> chosen,
                                                    const CancelToken& cancel) {
  ORTHROS_ASSIGN(const auto rows, forward_->generate(*cache_, token, chosen, cancel, tracing_));
  std::vector<RowReport> reports;
  for (const model::BatchReport& row : rows) reports.push_back(reportOf(row, tracing_));
  return reports;
}

Result<RowReport> DeviceRows::choose(std::span<const text::TokenId> tokens,
                                     std::vector<text::TokenId>& chosen, const CancelToken& cancel) {
  ORTHROS_ASSIGN(const auto report, forward_->choose(*cache_, tokens, chosen, cancel, tracing_));
  return reportOf(report, tracing_);
}

// The report belongs to a run that has ended.
Status DeviceRows::settle() {
  const Status finished = model_->queue().finish();
  model_->queue().takeReport();
  return finished;
}

Result<std::unique_ptr<RowRunner>> DeviceRows::branch() const {
  ORTHROS_ASSIGN(auto cache, cache_->copy());
  return std::unique_ptr<RowRunner>(new DeviceRows(model_, forward_, std::move(cache), tracing_));
}

}  // namespace orthros::session
