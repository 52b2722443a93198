#include "engine/model/decode_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace orthros::model {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t callsPerTrace = 32;

uint64_t nsSince(Clock::time_point start) {
  return static_cast<uint64_t>((Clock::now() - start) / std::chrono::nanoseconds(1));
}

}  // namespace

DecodeLoop::DecodeLoop(DeviceModel& model, Workspace& workspace, const AttentionClasses& classes,
                       const Graph& graph)
    : model_(model), workspace_(workspace), classes_(classes), graph_(graph) {}

Result<BatchReport> DecodeLoop::run(KvCache& cache, uint32_t token, std::span<float> logits, bool tracing) {
  const auto begin = Clock::now();
  ORTHROS_ASSIGN(const RowTableData tables, prepare(cache, token, 1));
  ORTHROS_ASSIGN(Recording * recording, recordingOf(cache, tables, 0, Ending::logits, tracing));
  ORTHROS_TRY(recording->program->start());
  ORTHROS_ASSIGN(BatchReport report, finish(*recording, cache, tables, 0));
  std::memcpy(logits.data(), workspace_.logitsOnHost().mapped().data(), logits.size_bytes());
  cache.advance(1);
  report.wallNs = nsSince(begin);
  return report;
}

Result<std::vector<BatchReport>> DecodeLoop::generate(KvCache& cache, uint32_t token,
                                                      std::span<uint32_t> chosen, bool tracing) {
  const auto begin = Clock::now();
  const auto steps = static_cast<uint32_t>(chosen.size());
  ORTHROS_ASSIGN(const RowTableData tables, prepare(cache, token, steps));
  // All steps are on their way before the first is waited for.
  Status started;
  std::vector<Recording*> running;
  for (uint32_t step = 0; step < steps && started; ++step) {
    const auto recording = recordingOf(cache, tables, step, Ending::token, tracing);
    started = recording ? (*recording)->program->start() : fail(recording.error());
    if (started) running.push_back(*recording);
  }
  std::vector<BatchReport> reports;
  for (uint32_t step = 0; step < running.size(); ++step) {
    auto report = finish(*running[step], cache, tables, step);
    if (!report && started) started = fail(report.error());
    if (report) reports.push_back(*std::move(report));
  }
  ORTHROS_TRY(started);
  std::memcpy(chosen.data(), workspace_.decodeInputs().tokens().mapped().data() + sizeof(uint32_t),
              chosen.size_bytes());
  if (std::find(chosen.begin(), chosen.end(), kernels::Argmax::none) != chosen.end())
    return fail(ErrorCode::internal, "logits", "hold no finite number",
                "Run `orthros-cli selftest` to check this device");
  cache.advance(steps);
  for (BatchReport& report : reports) report.wallNs = nsSince(begin) / steps;
  return reports;
}

// Makes room for the rows and writes their tables. Tokens after the first come from the device.
Result<RowTableData> DecodeLoop::prepare(KvCache& cache, uint32_t token, uint32_t steps) {
  ORTHROS_TRY(cache.reserve(steps));
  const std::vector<phase::Phase> phases(steps, phase::Phase::decode);
  RowTableData tables =
      buildRowTables(classes_, cache.length(), phases, model_.attention().tileRows(), ROW_PADDING);
  std::vector<uint32_t> tokens(steps, 0);
  tokens.front() = token;
  workspace_.decodeInputs().write(tokens, tables, workspace_.rotations(), cache.length());
  return tables;
}

Result<DecodeLoop::Recording*> DecodeLoop::recordingOf(const KvCache& cache, const RowTableData& tables,
                                                       uint32_t step, Ending ending, bool tracing) {
  const bool byOperation = tracing && step == 0 && calls_++ % callsPerTrace == 0;
  Situation situation{.cacheGeneration = cache.generation()};
  if (tracing)
    situation.timestamps =
        byOperation ? vulkan::TimestampMode::perDispatch : vulkan::TimestampMode::submission;
  for (uint32_t c = 0; c < classes_.count(); ++c)
    situation.splits.push_back(model_.attention().splitsOfRow(tables.totals(c, step, 1).pairs));
  Recording& recording = slotFor(step, ending, byOperation);
  if (recording.program && recording.situation == situation) return &recording;
  recording = {.situation = std::move(situation), .program = {}, .totals = {}};
  ORTHROS_TRY(record(recording, cache, tables, step, ending));
  return &recording;
}

DecodeLoop::Recording& DecodeLoop::slotFor(uint32_t step, Ending ending, bool byOperation) {
  if (ending == Ending::logits) return byOperation ? withLogitsByOperation_ : withLogits_;
  return byOperation ? withTokenByOperation_ : withToken_[step];
}

Status DecodeLoop::record(Recording& recording, const KvCache& cache, const RowTableData& tables,
                          uint32_t step, Ending ending) {
  ORTHROS_ASSIGN(auto program, kernels::Program::create(model_.device(), recording.situation.timestamps));
  ORTHROS_TRY(graph_.record(*program, {cache, workspace_.decodeInputs(), tables, step, 1, 1}));
  ORTHROS_TRY(graph_.recordLogits(*program, step, 1));
  const kernels::Activations logits = workspace_.logits();
  if (ending == Ending::logits) {
    ORTHROS_TRY(program->copy(*logits.buffer, workspace_.logitsOnHost(), workspace_.logitsOnHost().bytes()));
  } else {
    kernels::ArgmaxJob job;
    job.logits = logits;
    job.count = model_.spec().vocabulary;
    job.scratch = &workspace_.argmaxScratch();
    job.arrivals = &workspace_.arrivals();
    job.tokens = &workspace_.decodeInputs().tokens();
    job.target = step + 1;
    ORTHROS_TRY(model_.argmax().record(*program, job));
  }
  ORTHROS_TRY(program->end());
  for (uint32_t c = 0; c < classes_.count(); ++c) recording.totals.push_back(tables.totals(c, step, 1));
  recording.program = std::move(program);
  return {};
}

// The labels were made for the row that was recorded; attention has read other keys since.
Result<BatchReport> DecodeLoop::finish(Recording& recording, const KvCache& cache, const RowTableData& tables,
                                       uint32_t step) {
  BatchReport report;
  ORTHROS_ASSIGN(report.work, recording.program->finish());
  kernels::OperationReport& attention = report.work.operations["decodeAttention"];
  for (uint32_t layer = 0; layer < model_.spec().layers; ++layer) {
    const uint32_t attentionClass = classes_.ofLayer(layer);
    const auto now = tables.totals(attentionClass, step, 1);
    const auto& then = recording.totals[attentionClass];
    attention.flop += model_.attention().flop(now.pairs) - model_.attention().flop(then.pairs);
    attention.bytes += model_.attention().keyBytes(now.keysRead) - model_.attention().keyBytes(then.keysRead);
  }
  report.attentionPairs = graph_.attentionPairs({cache, workspace_.decodeInputs(), tables, step, 1, 1});
  if (report.work.deviceNs > 0) divideTime(report.work);
  return report;
}

void DecodeLoop::divideTime(kernels::WorkReport& report) {
  const auto total = static_cast<double>(report.deviceNs);
  const bool measured = std::any_of(report.operations.begin(), report.operations.end(),
                                    [](const auto& operation) { return operation.second.deviceNs > 0; });
  for (auto& [name, operation] : report.operations) {
    if (measured) {
      shares_[name] = static_cast<double>(operation.deviceNs) / total;
    } else {
      operation.deviceNs = static_cast<uint64_t>(shares_[name] * total);
    }
  }
}

}  // namespace orthros::model
