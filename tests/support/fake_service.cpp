#include "tests/support/fake_service.hpp"

#include <algorithm>

namespace orthros::test {
namespace {

using session::RunPhase;
using session::RunRecord;
using std::chrono::microseconds;

constexpr uint64_t windowRowNs = 400'000, tailRowNs = 900'000, fullRowNs = 3'600'000,
                   answerRowNs = 12'000'000;

uint64_t rowNs(RunPhase phase, bool baseline) {
  if (phase == RunPhase::decode) return answerRowNs;
  if (baseline) return fullRowNs;
  return phase == RunPhase::tail ? tailRowNs : windowRowNs;
}

// Adds a batch whose time comes from the table above, not from a clock: figures are the same in every run.
void addBatch(RunRecord& record, RunPhase phase, uint32_t rows, bool baseline) {
  const uint64_t begin = record.ns.total;
  const auto first = static_cast<uint32_t>(record.prefill.rows + record.tail.rows + record.decode.rows);
  uint64_t took = rows * rowNs(phase, baseline);
  if (baseline && phase != RunPhase::decode) took = took * (first + rows) / 2000;
  record.batches.push_back({phase, first, rows, begin, begin + took});
  record.totals(phase).rows += rows;
  record.totals(phase).wallNs += took;
  record.totals(phase).submits += 1;
  record.ns.total = begin + took;
}

RunRecord emptyRecord(session::Service::Slot slot, const FakeScript& script) {
  const bool baseline = slot == session::Service::baselineSlot;
  RunRecord record;
  record.program = "orthros test";
  record.startedAt = "2026-01-02T03:04:05Z";
  record.model.name = "SmolLM2-135M-Instruct";
  record.model.adapter = baseline ? "" : "orthros-lora.gguf";
  record.device.name = "Scripted device";
  record.plan.name = baseline ? "vanilla" : "orthros";
  record.lengths.prompt = script.promptTokens;
  record.lengths.reused = baseline ? 0 : script.reusedTokens;
  record.lengths.context = script.contextTokens;
  record.ns.tokenise = 20'000'000;
  record.ns.total = 20'000'000;
  record.bytes.weights = 138'000'000;
  record.bytes.kv = 92'000'000;
  record.bytes.workspace = 40'000'000;
  record.bytes.budget = 6'400'000'000;
  return record;
}

void finishRecord(RunRecord& record, const std::string& finish) {
  record.finish = finish;
  record.predictedTime.prefillNs = record.prefill.wallNs / 10 * 9;
  record.predictedTime.tailNs = record.tail.wallNs / 10 * 12;
  record.predictedTime.decodeNs = record.decode.wallNs / 10 * 11;
  record.measured = record.predicted = {4321, 987654321, 123'000'000'000, 45'000'000'000};
  const char* names[] = {"attention", "gate_up", "down", "qkv", "output", "norm"};
  for (size_t index = 0; index < std::size(names); ++index)
    record.operations.push_back({names[index], RunPhase::prefill, 30 * (index + 1),
                                 record.prefill.wallNs / (2 + index), 9'000'000'000, 700'000'000});
}

}  // namespace

RunRecord makeRecord(session::Service::Slot slot, const FakeScript& script) {
  const bool baseline = slot == session::Service::baselineSlot;
  RunRecord record = emptyRecord(slot, script);
  const uint64_t read = script.promptTokens - record.lengths.reused;
  const uint64_t tail = baseline ? 1 : std::min<uint64_t>(script.tailTokens, read);
  for (uint64_t done = 0; done < read - tail;) {
    const auto rows = static_cast<uint32_t>(std::min<uint64_t>(script.batchTokens, read - tail - done));
    addBatch(record, RunPhase::prefill, rows, baseline);
    done += rows;
  }
  addBatch(record, RunPhase::tail, static_cast<uint32_t>(tail), baseline);
  record.ns.firstToken = record.ns.total;
  for (const std::string& piece : script.pieces) {
    addBatch(record, RunPhase::decode, 1, baseline);
    record.answer += piece;
  }
  record.lengths.generated = script.pieces.size();
  finishRecord(record, "end");
  return record;
}

FakeService::FakeService(FakeScript script) : script_(std::move(script)), thread_([this] { work(); }) {}

FakeService::~FakeService() {
  cancel();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FakeService::setScript(const FakeScript& script) {
  const std::lock_guard lock(mutex_);
  script_ = script;
}

std::vector<session::AskRequest> FakeService::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

std::vector<session::SetUp> FakeService::loaded() const {
  const std::lock_guard lock(mutex_);
  return loaded_;
}

std::optional<RunRecord> FakeService::lastRecord() const {
  const std::lock_guard lock(mutex_);
  return lastRecord_;
}

void FakeService::post(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void FakeService::work() {
  while (true) {
    Job job;
    FakeScript script;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      script = script_;
      cancelled_ = closing_;
    }
    job.run(script);
  }
}

void FakeService::cancel() {
  std::deque<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    dropped.swap(jobs_);
  }
  changed_.notify_all();
  for (const Job& job : dropped) job.drop();
}

bool FakeService::pause(microseconds time) {
  std::unique_lock lock(mutex_);
  if (time.count() > 0) changed_.wait_for(lock, time, [&] { return cancelled_; });
  return !cancelled_;
}

void FakeService::load(Slot slot, session::SetUp setUp, ProgressCallback progress,
                       std::function<void(const Result<session::LoadedModel>&)> done) {
  const auto run = [this, slot, setUp = std::move(setUp), progress, done](const FakeScript& script) {
    for (int step = 1; step <= script.loadSteps; ++step) {
      progress({"load weights", static_cast<uint64_t>(step) * 25'000'000,
                static_cast<uint64_t>(script.loadSteps) * 25'000'000});
      if (!pause(script.perLoadStep)) return done(fail(ErrorCode::cancelled, "load", "was cancelled"));
    }
    {
      const std::lock_guard lock(mutex_);
      loaded_.push_back(setUp);
    }
    if (script.loadError) return done(fail(*script.loadError));
    session::LoadedModel model;
    model.name = slot == mainSlot ? "SmolLM2 135M Orthros" : "SmolLM2 135M";
    model.planName = slot == mainSlot ? "orthros" : "vanilla";
    model.planText = slot == mainSlot ? "window 512 + 64 sinks, last 128 full" : "full attention";
    model.deviceName = "Scripted device";
    model.contextTokens = static_cast<uint32_t>(script.contextTokens);
    model.memoryBytes = 270'000'000;
    model.budgetBytes = 6'400'000'000;
    done(model);
  };
  post({run, [done] { done(fail(ErrorCode::cancelled, "load", "was cancelled")); }});
}

void FakeService::estimate(Slot, session::AskRequest request,
                           std::function<void(const Result<session::AskEstimate>&)> done) {
  const auto run = [request = std::move(request), done](const FakeScript& script) {
    session::AskEstimate estimate;
    for (const session::Turn& turn : request.turns) estimate.promptTokens += 8 + tokensOf(turn.text);
    for (const std::string& document : request.documents) estimate.promptTokens += tokensOf(document);
    estimate.reusedTokens = std::min(script.reusedTokens, estimate.promptTokens);
    estimate.contextTokens = script.contextTokens;
    estimate.orthrosNs = estimate.promptTokens * windowRowNs;
    estimate.vanillaNs = estimate.promptTokens * fullRowNs;
    done(estimate);
  };
  post({run, [done] { done(fail(ErrorCode::cancelled, "estimate", "was cancelled")); }});
}

void FakeService::ask(Slot slot, session::AskRequest request, session::AskEvents events) {
  {
    const std::lock_guard lock(mutex_);
    asked_.push_back(request);
  }
  const auto done = events.done;
  post({[this, slot, events = std::move(events)](const FakeScript& script) { play(slot, script, events); },
        [done] { done(fail(ErrorCode::cancelled, "question", "was cancelled")); }});
}

void FakeService::play(Slot slot, const FakeScript& script, const session::AskEvents& events) {
  if (script.askError && script.piecesBeforeError == 0) return events.done(fail(*script.askError));
  RunRecord record = emptyRecord(slot, script);
  events.progress({"tokenise", 0, 0});
  bool complete = read(slot, script, events, record);
  record.ns.firstToken = complete ? record.ns.total : 0;
  if (complete) complete = answer(script, events, record);
  if (script.askError && record.lengths.generated >= script.piecesBeforeError)
    return events.done(fail(*script.askError));
  finishRecord(record, complete ? "end" : "cancelled");
  {
    const std::lock_guard lock(mutex_);
    lastRecord_ = record;
  }
  events.done(record);
}

bool FakeService::read(Slot slot, const FakeScript& script, const session::AskEvents& events,
                       RunRecord& record) {
  const bool baseline = slot == baselineSlot;
  const uint64_t read = script.promptTokens - record.lengths.reused;
  const uint64_t tail = baseline ? 1 : std::min<uint64_t>(script.tailTokens, read);
  const auto perBatch = baseline ? microseconds(static_cast<int64_t>(
                                       static_cast<double>(script.perBatch.count()) * script.baselineFactor))
                                 : script.perBatch;
  return readPhase(RunPhase::prefill, read - tail, "prefill", perBatch, script, events, record) &&
         readPhase(RunPhase::tail, tail, "tail", perBatch, script, events, record);
}

bool FakeService::readPhase(RunPhase phase, uint64_t rows, const char* stage, microseconds perBatch,
                            const FakeScript& script, const session::AskEvents& events, RunRecord& record) {
  events.progress({stage, 0, rows});
  for (uint64_t done = 0; done < rows;) {
    if (!pause(perBatch)) return false;
    const auto batch = static_cast<uint32_t>(std::min<uint64_t>(script.batchTokens, rows - done));
    addBatch(record, phase, batch, record.plan.name == "vanilla");
    done += batch;
    events.progress({stage, done, rows});
  }
  return true;
}

bool FakeService::answer(const FakeScript& script, const session::AskEvents& events, RunRecord& record) {
  for (const std::string& piece : script.pieces) {
    if (!pause(script.perPiece)) return false;
    if (script.askError && record.lengths.generated >= script.piecesBeforeError) return false;
    addBatch(record, RunPhase::decode, 1, record.plan.name == "vanilla");
    record.lengths.generated += 1;
    record.answer += piece;
    events.text(piece);
  }
  return true;
}

}  // namespace orthros::test
