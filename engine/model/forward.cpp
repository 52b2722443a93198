#include "engine/model/forward.hpp"

#include <algorithm>
#include <chrono>

namespace orthros::model {
namespace {

uint64_t nsBetween(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return static_cast<uint64_t>((end - begin) / std::chrono::nanoseconds(1));
}

}  // namespace

Forward::Forward(std::shared_ptr<DeviceModel> model, const phase::PhasePlan& plan)
    : model_(std::move(model)), plan_(plan), classes_(plan) {}

Result<std::unique_ptr<Forward>> Forward::create(std::shared_ptr<DeviceModel> model,
                                                 const phase::PhasePlan& plan) {
  ORTHROS_TRY(phase::validate(plan, model->spec().layers, model->spec().contextTokens));
  std::unique_ptr<Forward> forward(new Forward(std::move(model), plan));
  ORTHROS_ASSIGN(forward->workspace_,
                 Workspace::create(*forward->model_, forward->maxBatchRows(), forward->classes_.count()));
  forward->graph_ = std::make_unique<Graph>(*forward->model_, *forward->workspace_, forward->classes_);
  forward->decode_ = std::make_unique<DecodeLoop>(*forward->model_, *forward->workspace_, forward->classes_,
                                                  *forward->graph_);
  return forward;
}

Status Forward::check(const RowBatch& rows, size_t logits) const {
  const size_t count = rows.tokens.size();
  if (count == 0 || count > maxBatchRows() || rows.phases.size() != count || rows.wantedRows > count ||
      logits != size_t{rows.wantedRows} * model_->spec().vocabulary)
    return fail(ErrorCode::invalidArgument, "batch", "its rows, phases and logits do not fit together");
  for (const uint32_t token : rows.tokens)
    if (token >= model_->spec().vocabulary)
      return fail(ErrorCode::invalidArgument, "token " + std::to_string(token),
                  "is not one of the model's " + std::to_string(model_->spec().vocabulary));
  return {};
}

Result<BatchReport> Forward::run(KvCache& cache, const RowBatch& rows, std::span<float> logits,
                                 const CancelToken& cancel, bool tracing) {
  const auto start = Clock::now();
  ORTHROS_TRY(check(rows, logits.size()));
  if (rows.tokens.size() == 1 && rows.wantedRows == 1 && rows.phases.front() == phase::Phase::decode) {
    ORTHROS_TRY(cancel.check("run"));
    return decode_->run(cache, rows.tokens.front(), logits, tracing);
  }
  ORTHROS_TRY(cache.reserve(static_cast<uint32_t>(rows.tokens.size())));
  kernels::WorkQueue& queue = model_->queue();
  ORTHROS_TRY(queue.setTracing(tracing));
  queue.setCancel(cancel);
  queue.takeReport();
  const auto count = static_cast<uint32_t>(rows.tokens.size());
  const auto tables =
      buildRowTables(classes_, cache.length(), rows.phases, model_->attention().tileRows(), ROW_PADDING);
  // Its last reader, the batch before the previous one, is done.
  BatchInputs& inputs = workspace_->batchInputs(turn_++);
  inputs.write(rows.tokens, tables, workspace_->rotations(), cache.length());
  const Graph::Rows graphRows{cache, inputs, tables, 0, count, rows.wantedRows};
  BatchReport report;
  Clock::time_point previousDone = start;
  const Status done = execute(graphRows, logits, previousDone);
  const Status finished = done && rows.more ? Status{} : queue.finish();
  queue.setCancel({});
  ORTHROS_TRY(done);
  ORTHROS_TRY(finished);
  cache.advance(count);
  report.work = queue.takeReport();
  report.attentionPairs = graph_->attentionPairs(graphRows);
  report.previousDoneNs = nsBetween(start, previousDone);
  report.wallNs = nsBetween(start, Clock::now());
  return report;
}

Result<std::vector<BatchReport>> Forward::generate(KvCache& cache, uint32_t token, std::span<uint32_t> chosen,
                                                   const CancelToken& cancel, bool tracing) {
  constexpr phase::Phase answer[] = {phase::Phase::decode};
  if (chosen.empty() || chosen.size() > DecodeLoop::maxSteps)
    return fail(ErrorCode::invalidArgument, "steps", "are none or too many");
  ORTHROS_TRY(check({{&token, 1}, answer, 0}, 0));
  ORTHROS_TRY(cancel.check("run"));
  return decode_->generate(cache, token, chosen, tracing);
}

Result<BatchReport> Forward::choose(KvCache& cache, std::span<const uint32_t> tokens,
                                    std::vector<uint32_t>& chosen, const CancelToken& cancel, bool tracing) {
  if (tokens.size() > maxChosenRows)
    return fail(ErrorCode::invalidArgument, "rows", "are too many to choose tokens for");
  const std::vector<phase::Phase> answer(tokens.size(), phase::Phase::decode);
  ORTHROS_TRY(check({tokens, answer, 0}, 0));
  ORTHROS_TRY(cancel.check("run"));
  return decode_->choose(cache, tokens, chosen, tracing);
}

// Submits the batch and waits for the one before, which may have been left running.
Status Forward::execute(const Graph::Rows& rows, std::span<float> logits, Clock::time_point& previousDone) {
  kernels::WorkQueue& queue = model_->queue();
  ORTHROS_TRY(graph_->record(queue, rows));
  ORTHROS_TRY(queue.flush());
  ORTHROS_TRY(queue.finishUpTo(previousSubmit_));
  previousDone = Clock::now();
  previousSubmit_ = queue.lastSubmit();
  return computeLogits(rows, logits);
}

Status Forward::computeLogits(const Graph::Rows& rows, std::span<float> logits) {
  const size_t vocabulary = model_->spec().vocabulary;
  for (uint32_t done = 0; done < rows.wanted;) {
    const uint32_t count = std::min(rows.wanted - done, Workspace::logitRows);
    ORTHROS_TRY(graph_->recordLogits(model_->queue(), rows.first + rows.count - rows.wanted + done, count));
    ORTHROS_TRY(model_->queue().finish());
    const kernels::Activations computed = workspace_->logits();
    for (uint32_t row = 0; row < count; ++row) {
      const auto target = logits.subspan((done + row) * vocabulary, vocabulary);
      ORTHROS_TRY(model_->transfer().download(*computed.buffer, uint64_t{row} * computed.stride * 4,
                                              std::as_writable_bytes(target)));
    }
    done += count;
  }
  return {};
}

}  // namespace orthros::model
