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
  constexpr Step step{.ending = Ending::logits};
  ORTHROS_ASSIGN(const RowTableData tables, prepare(cache, {&token, 1}));
  ORTHROS_ASSIGN(Recording * recording, recordingOf(cache, tables, step, tracing));
  ORTHROS_TRY(recording->program->start());
  ORTHROS_ASSIGN(BatchReport report, finish(*recording, cache, tables, step));
  std::memcpy(logits.data(), workspace_.logitsOnHost().mapped().data(), logits.size_bytes());
  cache.advance(1);
  report.wallNs = nsSince(begin);
  return report;
}

Result<std::vector<BatchReport>> DecodeLoop::generate(KvCache& cache, uint32_t token,
                                                      std::span<uint32_t> chosen, bool tracing) {
  const auto begin = Clock::now();
  const auto steps = static_cast<uint32_t>(chosen.size());
  std::vector<uint32_t> tokens(steps, 0);  // after the first they come from the device
  tokens.front() = token;
  ORTHROS_ASSIGN(const RowTableData tables, prepare(cache, tokens));
  // All steps are on their way before the first is waited for.
  Status started;
  std::vector<Recording*> running;
  for (uint32_t step = 0; step < steps && started; ++step) {
    const auto recording = recordingOf(cache, tables, {.first = step}, tracing);
    started = recording ? (*recording)->program->start() : fail(recording.error());
    if (started) running.push_back(*recording);
  }
  std::vector<BatchReport> reports;
  for (uint32_t step = 0; step < running.size(); ++step) {
    auto report = finish(*running[step], cache, tables, {.first = step});
    if (!report && started) started = fail(report.error());
    if (report) reports.push_back(*std::move(report));
  }
  ORTHROS_TRY(started);
  ORTHROS_TRY(readTokens({}, chosen));
  cache.advance(steps);
  for (BatchReport& report : reports) report.wallNs = nsSince(begin) / steps;
  return reports;
}

Result<BatchReport> DecodeLoop::choose(KvCache& cache, std::span<const uint32_t> tokens,
                                       std::vector<uint32_t>& chosen, bool tracing) {
  const auto begin = Clock::now();
  ORTHROS_ASSIGN(const RowTableData tables, prepare(cache, tokens));
  Step step;
  // A row whose keys are cut into another number of parts would differ in its last bits.
  while (step.count < tokens.size() && splitsOf(tables, step.count) == splitsOf(tables, 0)) ++step.count;
  ORTHROS_ASSIGN(Recording * recording, recordingOf(cache, tables, step, tracing));
  ORTHROS_TRY(recording->program->start());
  ORTHROS_ASSIGN(BatchReport report, finish(*recording, cache, tables, step));
  chosen.resize(step.count);
  ORTHROS_TRY(readTokens(step, chosen));
  cache.advance(step.count);
  report.wallNs = nsSince(begin);
  return report;
}

// Makes room for the rows and writes their tables.
Result<RowTableData> DecodeLoop::prepare(KvCache& cache, std::span<const uint32_t> tokens) {
  ORTHROS_TRY(cache.reserve(static_cast<uint32_t>(tokens.size())));
  const std::vector<phase::Phase> phases(tokens.size(), phase::Phase::decode);
  RowTableData tables =
      buildRowTables(classes_, cache.length(), phases, model_.attention().tileRows(), ROW_PADDING);
  workspace_.decodeInputs().write(tokens, tables, workspace_.rotations(), cache.length());
  return tables;
}

// Into how many parts attention cuts the keys of a row, [class].
std::vector<uint32_t> DecodeLoop::splitsOf(const RowTableData& tables, uint32_t row) const {
  std::vector<uint32_t> splits;
  for (uint32_t c = 0; c < classes_.count(); ++c)
    splits.push_back(model_.attention().splitsOfRow(tables.totals(c, row, 1).pairs));
  return splits;
}

Result<DecodeLoop::Recording*> DecodeLoop::recordingOf(const KvCache& cache, const RowTableData& tables,
                                                       const Step& step, bool tracing) {
  const bool byOperation = tracing && step.first == 0 && calls_++ % callsPerTrace == 0;
  Situation situation{
      .cacheGeneration = cache.generation(), .rows = step.count, .splits = splitsOf(tables, step.first)};
  if (tracing)
    situation.timestamps =
        byOperation ? vulkan::TimestampMode::perDispatch : vulkan::TimestampMode::submission;
  Recording& recording = slotFor(step, byOperation);
  if (recording.program && recording.situation == situation) return &recording;
  recording = {.situation = std::move(situation), .program = {}, .totals = {}};
  ORTHROS_TRY(record(recording, cache, tables, step));
  return &recording;
}

DecodeLoop::Recording& DecodeLoop::slotFor(const Step& step, bool byOperation) {
  if (step.ending == Ending::logits) return byOperation ? withLogitsByOperation_ : withLogits_;
  if (step.count > 1) return byOperation ? severalByOperation_ : several_[step.count];
  return byOperation ? withTokenByOperation_ : withToken_[step.first];
}

Status DecodeLoop::record(Recording& recording, const KvCache& cache, const RowTableData& tables,
                          const Step& step) {
  ORTHROS_ASSIGN(auto program, kernels::Program::create(model_.device(), recording.situation.timestamps));
  ORTHROS_TRY(graph_.record(*program,
                            {cache, workspace_.decodeInputs(), tables, step.first, step.count, step.count}));
  ORTHROS_TRY(graph_.recordLogits(*program, step.first, step.count));
  const kernels::Activations logits = workspace_.logits();
  if (step.ending == Ending::logits) {
    ORTHROS_TRY(program->copy(*logits.buffer, workspace_.logitsOnHost(), workspace_.logitsOnHost().bytes()));
  } else {
    kernels::ArgmaxJob job;
    job.logits = logits;
    job.rows = step.count;
    job.count = model_.spec().vocabulary;
    job.scratch = &workspace_.argmaxScratch();
    job.arrivals = &workspace_.arrivals();
    job.tokens = &workspace_.decodeInputs().tokens();
    job.target = step.first + step.count;
    ORTHROS_TRY(model_.argmax().record(*program, job));
  }
  ORTHROS_TRY(program->end());
  for (uint32_t c = 0; c < classes_.count(); ++c)
    recording.totals.push_back(tables.totals(c, step.first, step.count));
  recording.program = std::move(program);
  return {};
}

// The labels were made for the rows that were recorded; attention has read other keys since.
Result<BatchReport> DecodeLoop::finish(Recording& recording, const KvCache& cache, const RowTableData& tables,
                                       const Step& step) {
  BatchReport report;
  ORTHROS_ASSIGN(report.work, recording.program->finish(previousDone_));
  previousDone_ = Clock::now();
  kernels::OperationReport& attention = report.work.operations["decodeAttention"];
  for (uint32_t layer = 0; layer < model_.spec().layers; ++layer) {
    const uint32_t attentionClass = classes_.ofLayer(layer);
    const auto now = tables.totals(attentionClass, step.first, step.count);
    const auto& then = recording.totals[attentionClass];
    attention.flop += model_.attention().flop(now.pairs) - model_.attention().flop(then.pairs);
    attention.bytes += model_.attention().keyBytes(now.keysRead) - model_.attention().keyBytes(then.keysRead);
  }
  report.attentionPairs =
      graph_.attentionPairs({cache, workspace_.decodeInputs(), tables, step.first, step.count, step.count});
  if (report.work.deviceNs > 0) divideTime(report.work, step.count);
  return report;
}

// The tokens that follow the rows of a step and of the steps after it.
Status DecodeLoop::readTokens(const Step& step, std::span<uint32_t> chosen) const {
  const size_t target = (step.first + step.count) * sizeof(uint32_t);
  std::memcpy(chosen.data(), workspace_.decodeInputs().tokens().mapped().data() + target,
              chosen.size_bytes());
  if (std::find(chosen.begin(), chosen.end(), kernels::Argmax::none) != chosen.end())
    return fail(ErrorCode::internal, "logits", "hold no finite number",
                "Run `orthros-cli selftest` to check this device");
  return {};
}

void DecodeLoop::divideTime(kernels::WorkReport& report, uint32_t rows) {
  auto& shares = rows == 1 ? sharesOfOne_ : sharesOfSeveral_;
  const auto total = static_cast<double>(report.deviceNs);
  const bool measured = std::any_of(report.operations.begin(), report.operations.end(),
                                    [](const auto& operation) { return operation.second.deviceNs > 0; });
  for (auto& [name, operation] : report.operations) {
    if (measured) {
      shares[name] = static_cast<double>(operation.deviceNs) / total;
    } else {
      operation.deviceNs = static_cast<uint64_t>(shares[name] * total);
    }
  }
}

}  // namespace orthros::model
