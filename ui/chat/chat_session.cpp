#include "ui/chat/chat_session.hpp"

#include <algorithm>

#include "ui/format/numbers.hpp"

namespace orthros::ui {

using session::Service;

ChatSession::ChatSession(EngineClient& engine, ModelSlots& models, QObject* parent)
    : QObject(parent),
      engine_(engine),
      models_(models),
      attachments_(engine, models),
      estimator_(engine, [this] { return draftRequest(); }) {
  connect(&engine_, &EngineClient::progressed, this, &ChatSession::onProgress);
  connect(&engine_, &EngineClient::textArrived, this, &ChatSession::onText);
  connect(&engine_, &EngineClient::finished, this, &ChatSession::onFinished);
  connect(&engine_, &EngineClient::failed, this, &ChatSession::onFailed);
  connect(&models_, &ModelSlots::changed, this, &ChatSession::onModelChanged);
  connect(&attachments_, &AttachmentList::changed, &estimator_, &Estimator::refresh);
}

bool ChatSession::canSend(const QString& question) const {
  return activity_ == Activity::idle && models_.state(Service::mainSlot) == ModelSlots::State::ready &&
         !question.trimmed().isEmpty();
}

bool ChatSession::canCompareLast() const {
  return activity_ == Activity::idle && !exchanges_.empty() && exchanges_.back().main.record &&
         !exchanges_.back().vanilla.record && models_.state(Service::mainSlot) == ModelSlots::State::ready;
}

void ChatSession::setDraft(const QString& draft) {
  draft_ = draft;
  estimator_.refresh();
}

void ChatSession::setSuggestion(const QString& question) {
  suggestion_ = question;
  estimator_.refresh();
}

std::optional<session::AskRequest> ChatSession::draftRequest() const {
  if (activity_ != Activity::idle || models_.state(Service::mainSlot) != ModelSlots::State::ready) return {};
  const bool nothing = draft_.trimmed().isEmpty() && attachments_.items().empty();
  if (nothing) return {};
  const QString question = draft_.trimmed().isEmpty() ? suggestion_ : draft_.trimmed();
  return makeRequest(exchanges_, question.isEmpty() ? QStringLiteral("?") : question,
                     attachments_.documents());
}

session::AskRequest ChatSession::makeRequest(const std::vector<Exchange>& before, const QString& question,
                                             const std::vector<DocumentPtr>& documents) const {
  session::AskRequest request = requestOf(before, question, documents);
  request.maxTokens = longestAnswerTokens_;
  return request;
}

bool ChatSession::send(const QString& question) {
  if (!canSend(question)) return false;
  const auto& estimate = estimator_.latest();
  expectedTokens_ = estimate && estimate->promptTokens > estimate->reusedTokens
                        ? estimate->promptTokens - estimate->reusedTokens
                        : 0;
  reusedTokens_ = estimate ? std::optional(estimate->reusedTokens) : std::nullopt;
  auto request = makeRequest(exchanges_, question.trimmed(), attachments_.documents());
  Exchange exchange;
  exchange.question = question.trimmed();
  exchange.documents = attachments_.documents();
  exchanges_.push_back(std::move(exchange));
  sent_ = attachments_.takeAll();
  emit exchangeAdded();
  begin(Side::main, engine_.ask(Service::mainSlot, std::move(request)));
  return true;
}

void ChatSession::begin(Side side, RequestId request) {
  side_ = side;
  request_ = request;
  activity_ = Activity::reading;
  reading_ = {};
  readBefore_ = 0;
  emit activityChanged();
  emit readingChanged();
}

void ChatSession::stop() {
  if (activity_ == Activity::idle || stopping_) return;
  stopping_ = true;
  emit activityChanged();
  if (waitingForBaseline_) {
    endAnswer();
    return;
  }
  engine_.cancel();
}

void ChatSession::startOver() {
  if (activity_ != Activity::idle) return;
  std::vector<Attachment> documents;
  for (const Exchange& exchange : exchanges_)
    for (const DocumentPtr& document : exchange.documents) documents.push_back({document, {}});
  exchanges_.clear();
  contextTokens_ = 0;
  emit cleared();
  emit contextChanged();
  emit activityChanged();
  attachments_.putBack(std::move(documents));
  attachments_.count();
}

void ChatSession::setCompare(bool compare) {
  if (compare_ == compare) return;
  compare_ = compare;
  emit compareChanged();
}

void ChatSession::compareLast() {
  if (canCompareLast()) startComparison();
}

void ChatSession::onProgress(RequestId request, const StageProgress& progress) {
  if (request != request_ || activity_ == Activity::idle) return;
  const bool tail = progress.stage == "tail";
  if (!tail && progress.stage != "prefill") return;
  const auto phase = tail ? session::RunPhase::tail : session::RunPhase::prefill;
  const bool newPhase = phase != reading_.phase || !phaseClock_.isValid() || reading_.total == 0;
  if (phase != reading_.phase) readBefore_ = reading_.done;
  if (newPhase) phaseClock_.start();
  reading_.phase = phase;
  reading_.done = readBefore_ + progress.done;
  reading_.total = std::max(readBefore_ + progress.total, side_ == Side::main ? expectedTokens_ : 0);
  const double seconds = static_cast<double>(phaseClock_.nsecsElapsed()) * 1e-9;
  const bool measured = progress.done > 0 && seconds > 0;
  reading_.tokensPerSecond = measured ? static_cast<double>(progress.done) / seconds : 0;
  const double left = static_cast<double>(reading_.total - std::min(reading_.total, reading_.done));
  reading_.remainingNs = measured ? static_cast<uint64_t>(1e9 * left / reading_.tokensPerSecond) : 0;
  if (side_ == Side::main && reusedTokens_) {
    contextTokens_ = *reusedTokens_ + reading_.done;
    emit contextChanged();
  }
  emit readingChanged();
}

void ChatSession::onText(RequestId request, const QString& text) {
  if (request != request_ || exchanges_.empty()) return;
  if (activity_ == Activity::reading) {
    activity_ = Activity::answering;
    emit activityChanged();
  }
  exchanges_.back().answer(side_).text += text;
  emit answerGrew(side_, text);
}

void ChatSession::onFinished(RequestId request, const RunRecordPtr& record) {
  if (request != request_ || exchanges_.empty()) return;
  Answer& answer = exchanges_.back().answer(side_);
  if (side_ == Side::main) {
    contextTokens_ = record->lengths.prompt + record->lengths.generated;
    emit contextChanged();
  }
  if (side_ == Side::main && record->finish == "cancelled" && answer.text.isEmpty()) {
    const uint64_t read = record->prefill.rows + record->tail.rows;
    contextTokens_ = record->lengths.reused + read;
    emit contextChanged();
    retract(tr("Stopped after reading %1. What was read is kept: asking again goes on from there.")
                .arg(tokensText(read)),
            false);
    return;
  }
  answer.record = record;
  endAnswer();
}

void ChatSession::onFailed(RequestId request, const Error& error) {
  if (request != request_ || exchanges_.empty()) return;
  Answer& answer = exchanges_.back().answer(side_);
  const bool cancelled = error.code == ErrorCode::cancelled;
  if (side_ == Side::main && answer.text.isEmpty()) {
    retract(cancelled ? tr("Stopped. Nothing was read yet.") : QString::fromStdString(error.message()),
            !cancelled);
    return;
  }
  answer.error = error;
  endAnswer();
}

void ChatSession::endAnswer() {
  const Side side = side_;
  const bool stopped = stopping_;
  const bool usable = exchanges_.back().answer(side).record != nullptr;
  sent_.clear();
  emit answerEnded(side);
  if (side == Side::main && compare_ && !stopped && usable)
    startComparison();
  else
    becomeIdle();
}

void ChatSession::retract(const QString& reason, bool isError) {
  const QString question = exchanges_.back().question;
  exchanges_.pop_back();
  attachments_.putBack(std::move(sent_));
  sent_.clear();
  emit retracted(question, reason, isError);
  becomeIdle();
}

void ChatSession::startComparison() {
  exchanges_.back().vanilla = {};
  emit comparisonBegan();
  begin(Side::vanilla, 0);
  waitingForBaseline_ = true;
  models_.loadBaseline();
  if (models_.state(Service::baselineSlot) == ModelSlots::State::ready) askBaseline();
}

void ChatSession::askBaseline() {
  waitingForBaseline_ = false;
  const Exchange& last = exchanges_.back();
  const std::vector<Exchange> before(exchanges_.begin(), exchanges_.end() - 1);
  request_ = engine_.ask(Service::baselineSlot, makeRequest(before, last.question, last.documents));
}

void ChatSession::onModelChanged(Service::Slot slot) {
  const ModelSlots::State state = models_.state(slot);
  if (slot == Service::baselineSlot && waitingForBaseline_) {
    if (state == ModelSlots::State::ready) askBaseline();
    if (state == ModelSlots::State::failed) {
      waitingForBaseline_ = false;
      exchanges_.back().vanilla.error = models_.error(slot);
      endAnswer();
    }
  }
  if (slot == Service::mainSlot) {
    if (state == ModelSlots::State::loading) contextTokens_ = 0;
    emit contextChanged();
    emit activityChanged();
    if (state == ModelSlots::State::ready) estimator_.refresh();
  }
}

void ChatSession::becomeIdle() {
  activity_ = Activity::idle;
  stopping_ = false;
  waitingForBaseline_ = false;
  request_ = 0;
  emit activityChanged();
  attachments_.count();
  estimator_.refresh();
}

}  // namespace orthros::ui
