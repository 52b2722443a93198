#include "engine/session/model_slot.hpp"

#include <chrono>

#include "engine/phase/describe.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::session {
namespace {

constexpr size_t keptAnswers = 256;

}  // namespace

Result<LoadedModel> ModelSlot::load(const SetUp& setUp, const ProgressCallback& progress,
                                    const CancelToken& cancel) {
  Status status = open(setUp, progress, cancel);
  if (!status && status.error().code == ErrorCode::outOfMemory && opened_) {
    close();
    status = open(setUp, progress, cancel);
  }
  ORTHROS_TRY(std::move(status));
  return summary();
}

Status ModelSlot::open(const SetUp& setUp, const ProgressCallback& progress, const CancelToken& cancel) {
  OpenOptions options;
  if (session_) {
    const RunRecord& header = session_->header();
    options.released = {header.device.uuid,
                        header.bytes.weights + header.bytes.workspace + session_->runner().cacheBytes()};
  }
  ORTHROS_ASSIGN(auto opened,
                 OpenedModel::open(setUp, shared_.pool, shared_.speeds, options, progress, cancel));
  ORTHROS_ASSIGN(auto session, opened->newSession(opened->plan()));
  close();
  setUp_ = setUp;
  opened_ = std::move(opened);
  session_ = std::move(session);
  return {};
}

void ModelSlot::close() {
  session_.reset();
  opened_.reset();
  known_.clear();
}

Status ModelSlot::ensureOpen(const CancelToken& cancel) {
  if (session_) return {};
  if (!setUp_) return fail(ErrorCode::notFound, "model", "is not loaded", "Open a model first");
  return open(SetUp(*setUp_), {}, cancel);
}

Result<ModelSlot::Prompt> ModelSlot::buildPrompt(const AskRequest& request, const CancelToken& cancel) const {
  const auto begin = std::chrono::steady_clock::now();
  Prompt prompt;
  ORTHROS_ASSIGN(prompt.segments, opened_->prompts().build(request, known_, cancel));
  prompt.layout = layOut(session_->plan(), prompt.segments);
  prompt.tokeniseNs =
      static_cast<uint64_t>((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1));
  return prompt;
}

Result<AskEstimate> ModelSlot::estimate(const AskRequest& request, const CancelToken& cancel) {
  ORTHROS_TRY(ensureOpen(cancel));
  ORTHROS_ASSIGN(const Prompt prompt, buildPrompt(request, cancel));
  ORTHROS_ASSIGN(const phase::PhasePlan vanilla, phase::preset("vanilla", session_->plan().layers()));
  const uint32_t maxRows = session_->runner().maxBatchRows();
  AskEstimate estimate;
  estimate.promptTokens = prompt.layout.rows();
  estimate.reusedTokens = session_->reusableRows(prompt.layout);
  estimate.contextTokens = session_->runner().capacityTokens();
  const auto reused = static_cast<uint32_t>(estimate.reusedTokens);
  const Predictor& predictor = opened_->predictor();
  estimate.orthrosNs = predictor.readingNs(session_->plan(), prompt.layout.spans, reused, maxRows);
  estimate.vanillaNs = predictor.readingNs(vanilla, layOut(vanilla, prompt.segments).spans, reused, maxRows);
  return estimate;
}

Result<RunRecord> ModelSlot::ask(const AskRequest& request, const SessionEvents& events,
                                 const CancelToken& cancel) {
  ORTHROS_TRY(ensureOpen(cancel));
  if (events.progress) events.progress({.stage = "tokenise"});
  ORTHROS_ASSIGN(const Prompt prompt, buildPrompt(request, cancel));
  const GenerateOptions options{.maxTokens = request.maxTokens,
                                .sampling = request.sampling,
                                .stops = request.stops,
                                .tokeniseNs = prompt.tokeniseNs};
  auto answer = session_->answer(prompt.layout, options, events, cancel);
  if (!answer) {
    Error error = std::move(answer).error();
    if (error.code == ErrorCode::deviceLost) {
      close();
      error.nextStep = "Ask again: the model is then loaded anew, and the conversation is kept";
    }
    return fail(std::move(error));
  }
  remember(*answer);
  return std::move(answer->record);
}

// So that the next turn finds this answer's own tokens. Where a stop string cut the text, the tokens say more
// than it.
void ModelSlot::remember(const Answer& answer) {
  if (answer.tokens.empty() || answer.record.finish == "stop") return;
  if (known_.size() == keptAnswers) known_.erase(known_.begin());
  known_.push_back({answer.record.answer, answer.tokens});
}

LoadedModel ModelSlot::summary() const {
  const RunRecord& header = session_->header();
  LoadedModel loaded;
  loaded.name = opened_->name();
  loaded.planName = session_->plan().name;
  loaded.planText = phase::describe(session_->plan());
  loaded.deviceName = header.device.name;
  loaded.deviceIsCpu = opened_->deviceModel().device().info().isCpu();
  loaded.contextTokens = session_->runner().capacityTokens();
  loaded.memoryBytes = header.bytes.weights + header.bytes.workspace + session_->runner().cacheBytes();
  loaded.budgetBytes = header.bytes.budget;
  loaded.loadNs = header.ns.load;
  return loaded;
}

}  // namespace orthros::session
