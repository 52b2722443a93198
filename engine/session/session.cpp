#include "engine/session/session.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/log.hpp"
#include "engine/session/run_recorder.hpp"
#include "engine/session/sampler.hpp"
#include "engine/session/stop_sequences.hpp"
#include "engine/session/tokens_ahead.hpp"
#include "engine/text/detokenizer.hpp"

namespace orthros::session {
namespace {

// Rows whose logits are held at once when every row's are wanted: 128 rows of 49,152 logits are 25 MB.
constexpr uint32_t scoredRowsAtOnce = 128;

std::vector<phase::Phase> phasesOf(const phase::PhaseSpans& spans, uint32_t begin, uint32_t rows) {
  std::vector<phase::Phase> phases(rows);
  for (uint32_t row = 0; row < rows; ++row) phases[row] = spans.phaseOf(begin + row);
  return phases;
}

// How far the prompt is, told per phase: done and total count the rows of that phase that this run computes.
class PromptProgress {
 public:
  PromptProgress(std::span<const BatchCut> batches, const std::function<void(const Progress&)>& report)
      : report_(report) {
    for (const BatchCut& batch : batches) of(batch.phase).total += batch.rows;
  }

  void begin(RunPhase phase) const { tell(of(phase)); }
  void advance(RunPhase phase, uint32_t rows) {
    of(phase).done += rows;
    tell(of(phase));
  }

 private:
  Progress& of(RunPhase phase) { return phase == RunPhase::prefill ? prefill_ : tail_; }
  const Progress& of(RunPhase phase) const { return phase == RunPhase::prefill ? prefill_ : tail_; }
  void tell(const Progress& progress) const {
    if (report_) report_(progress);
  }

  const std::function<void(const Progress&)>& report_;
  Progress prefill_{.stage = "prefill"};
  Progress tail_{.stage = "tail"};
};

}  // namespace

struct Session::Generation {
  Sampler sampler;
  text::Detokenizer detokenizer;
  StopSequences stops;
  std::vector<text::TokenId> tokens;
  std::string text;
  std::string finish;

  void show(const std::string& piece, const SessionEvents& events) {
    if (piece.empty()) return;
    text += piece;
    if (events.text) events.text(piece);
  }
};

Session::Session(std::unique_ptr<RowRunner> runner, std::shared_ptr<const text::Vocabulary> vocabulary,
                 phase::PhasePlan plan, RunRecord header, PredictRun predict)
    : runner_(std::move(runner)),
      vocabulary_(std::move(vocabulary)),
      plan_(std::move(plan)),
      header_(std::move(header)),
      predict_(std::move(predict)) {
  header_.lengths.context = runner_->capacityTokens();
}

Status Session::checkPrompt(const Layout& prompt) const {
  if (prompt.rows() == 0) return fail(ErrorCode::invalidArgument, "prompt", "is empty", "Ask something");
  if (prompt.rows() != prompt.spans.length()) {
    return fail(ErrorCode::invalidArgument, "prompt", "has spans for another number of tokens");
  }
  const auto outside = std::find_if(prompt.tokens.begin(), prompt.tokens.end(),
                                    [&](text::TokenId token) { return token >= runner_->vocabulary(); });
  if (outside != prompt.tokens.end()) {
    return fail(ErrorCode::invalidArgument, "token " + std::to_string(*outside),
                "is outside the vocabulary of " + std::to_string(runner_->vocabulary()) + " tokens");
  }
  if (prompt.rows() > runner_->capacityTokens()) {
    return fail(ErrorCode::tooLong, "prompt",
                "has " + std::to_string(prompt.rows()) + " tokens, but the context holds " +
                    std::to_string(runner_->capacityTokens()),
                "Shorten the documents or load the model with a larger context");
  }
  return {};
}

uint32_t Session::reusableRows(const Layout& prompt) const {
  // The last row is always computed: its logits give the first answer token.
  return prompt.rows() == 0 ? 0 : std::min(commonRows(cached_, prompt), prompt.rows() - 1);
}

// Brings the session's list in line with the cache, after a batch that failed or a truncation.
void Session::forgetUncached() {
  const uint32_t rows = std::min(cached_.rows(), runner_->length());
  runner_->truncate(rows);
  cached_.tokens.resize(rows);
  cached_.spans.truncate(rows);
}

void Session::truncate(uint32_t rows) {
  runner_->truncate(rows);
  forgetUncached();
}

Result<std::unique_ptr<Session>> Session::branch() const {
  ORTHROS_ASSIGN(auto runner, runner_->branch());
  auto copy = std::make_unique<Session>(std::move(runner), vocabulary_, plan_, header_, predict_);
  copy->cached_ = cached_;
  return copy;
}

Status Session::runRows(const RowBatch& batch, RunPhase phase, RunRecorder& recorder,
                        const CancelToken& cancel) {
  ORTHROS_TRY(cancel.check("run"));
  const uint32_t begin = cached_.rows();
  logits_.resize(static_cast<size_t>(batch.wantedRows) * runner_->vocabulary());
  recorder.beginRows();
  auto report = runner_->run(batch, logits_, cancel);
  if (!report) {
    forgetUncached();
    return fail(std::move(report).error());
  }
  cached_.tokens.insert(cached_.tokens.end(), batch.tokens.begin(), batch.tokens.end());
  for (uint32_t row = 0; row < batch.phases.size(); ++row) {
    cached_.spans.append({begin + row, begin + row + 1, batch.phases[row]});
  }
  recorder.endRows({phase, begin, static_cast<uint32_t>(batch.tokens.size())}, batch.more, *report);
  return {};
}

// Memory for the whole prompt and its answer at once. Where there is not so much, the cache grows as rows
// come.
void Session::reserveFor(uint32_t promptRows, uint32_t answerRows) {
  const uint32_t room = runner_->capacityTokens() - runner_->length();
  const Status reserved = runner_->reserve(promptRows + std::min(answerRows, room - promptRows));
  if (!reserved) log::info("the cache grows step by step: {}", reserved.error().message());
}

// Computes the rows of the prompt that are not cached, in batches of at most `maxRows`. Logits of the rows
// from `firstWanted` on go to `receive`, where there is one.
Status Session::readRows(const Layout& prompt, uint32_t maxRows, uint32_t firstWanted,
                         const ReceiveLogits& receive, const std::function<void(const Progress&)>& progress,
                         RunRecorder& recorder, const CancelToken& cancel) {
  const auto batches = cutBatches(plan_, prompt.spans, cached_.rows(), maxRows);
  PromptProgress told(batches, progress);
  for (size_t i = 0; i < batches.size(); ++i) {
    const BatchCut& batch = batches[i];
    told.begin(batch.phase);
    const uint32_t end = batch.begin + batch.rows;
    const uint32_t wanted = std::min(batch.rows, end - std::min(end, firstWanted));
    const bool more = wanted == 0 && i + 1 < batches.size() && batches[i + 1].phase == batch.phase;
    const auto phases = phasesOf(prompt.spans, batch.begin, batch.rows);
    Status status = runRows({std::span(prompt.tokens).subspan(batch.begin, batch.rows), phases, wanted, more},
                            batch.phase, recorder, cancel);
    if (!status) {
      // The device may still compute the batch before.
      ORTHROS_TRY(runner_->settle());
      return status;
    }
    if (wanted > 0 && receive) ORTHROS_TRY(receive(end - wanted, logits_));
    told.advance(batch.phase, batch.rows);
  }
  return {};
}

Status Session::generate(const GenerateOptions& options, const SessionEvents& events, RunRecorder& recorder,
                         Generation& generation, const CancelToken& cancel) {
  generation.finish = "length";
  if (options.maxTokens == 0) return {};
  std::optional<TokensAhead> ahead;
  if (isGreedy(options.sampling)) ahead.emplace(*runner_, cached_.tokens, options.sampling.promptLookup);
  ORTHROS_ASSIGN(text::TokenId token, generation.sampler.sample(logits_));
  recorder.markFirstToken();
  while (true) {
    if (options.stopAtEnd && vocabulary_->isEndOfGeneration(token)) {
      generation.finish = "end";
      return {};
    }
    generation.tokens.push_back(token);
    generation.sampler.accept(token);
    generation.show(generation.stops.push(generation.detokenizer.push(token)), events);
    if (generation.stops.stopped()) {
      generation.finish = "stop";
      return {};
    }
    const size_t left = options.maxTokens - generation.tokens.size();
    if (left == 0) return {};
    if (cached_.rows() == runner_->capacityTokens()) {
      generation.finish = "context";
      return {};
    }
    ORTHROS_ASSIGN(token, ahead ? nextAhead(*ahead, token, static_cast<uint32_t>(left), recorder, cancel)
                                : nextSampled(generation.sampler, token, recorder, cancel));
  }
}

// The token after `token`, which becomes a row of the cache.
Result<text::TokenId> Session::nextSampled(Sampler& sampler, text::TokenId token, RunRecorder& recorder,
                                           const CancelToken& cancel) {
  constexpr phase::Phase answerPhase[] = {phase::Phase::decode};
  ORTHROS_TRY(runRows({{&token, 1}, answerPhase, 1}, RunPhase::decode, recorder, cancel));
  return sampler.sample(logits_);
}

Result<text::TokenId> Session::nextAhead(TokensAhead& ahead, text::TokenId token, uint32_t limit,
                                         RunRecorder& recorder, const CancelToken& cancel) {
  ORTHROS_TRY(cancel.check("run"));
  const uint32_t row = cached_.rows();
  ORTHROS_ASSIGN(const text::TokenId next, ahead.next(token, row, limit, recorder, cancel));
  cached_.tokens.push_back(token);
  cached_.spans.append({row, row + 1, phase::Phase::decode});
  return next;
}

Result<Answer> Session::answer(const Layout& prompt, const GenerateOptions& options,
                               const SessionEvents& events, const CancelToken& cancel) {
  ORTHROS_TRY(checkPrompt(prompt));
  ORTHROS_ASSIGN(Sampler sampler, Sampler::create(options.sampling));
  for (const text::TokenId token : prompt.tokens) sampler.accept(token);
  Generation generation{
      std::move(sampler), text::Detokenizer(vocabulary_), StopSequences(options.stops), {}, {}, {}};
  RunRecorder recorder(header_, options.tokeniseNs);
  const uint32_t reused = reusableRows(prompt);
  recorder.record().lengths.prompt = prompt.rows();
  recorder.record().lengths.reused = reused;

  truncate(reused);
  reserveFor(prompt.rows() - reused, options.maxTokens);
  Status status =
      readRows(prompt, runner_->maxBatchRows(), prompt.rows() - 1, {}, events.progress, recorder, cancel);
  if (status) status = generate(options, events, recorder, generation, cancel);
  forgetUncached();  // rows that were generated ahead
  if (!status && status.error().code != ErrorCode::cancelled) return fail(std::move(status).error());
  if (!status) generation.finish = "cancelled";
  if (!generation.stops.stopped()) {
    generation.show(generation.stops.push(generation.detokenizer.flush()) + generation.stops.flush(), events);
  }

  recorder.record().lengths.generated = generation.tokens.size();
  recorder.record().answer = std::move(generation.text);
  recorder.record().bytes.kv = runner_->cacheBytes();
  RunRecord record = recorder.finish(std::move(generation.finish));
  if (predict_) predict_(cached_.spans, record);
  return Answer{std::move(record), std::move(generation.tokens)};
}

Status Session::read(const Layout& prompt, uint32_t firstWanted, const ReceiveLogits& receive,
                     const std::function<void(const Progress&)>& progress, const CancelToken& cancel) {
  ORTHROS_TRY(checkPrompt(prompt));
  RunRecorder recorder(header_);
  truncate(std::min(reusableRows(prompt), firstWanted));
  const uint32_t maxRows = std::min(runner_->maxBatchRows(), scoredRowsAtOnce);
  return readRows(prompt, maxRows, firstWanted, receive, progress, recorder, cancel);
}

}  // namespace orthros::session
