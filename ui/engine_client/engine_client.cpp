#include "ui/engine_client/engine_client.hpp"

#include <QMetaObject>
#include <algorithm>

namespace orthros::ui {
namespace {

constexpr int frameMs = 16;

template <class Value>
EngineEvent eventOf(RequestId request, const Result<Value>& result) {
  if (!result) return {request, result.error()};
  if constexpr (std::is_same_v<Value, session::RunRecord>)
    return {request, std::make_shared<const session::RunRecord>(*result)};
  else
    return {request, *result};
}

ProgressCallback progressInto(const std::shared_ptr<Mailbox>& mailbox, RequestId request) {
  return [mailbox, request](const Progress& progress) {
    mailbox->post({request, StageProgress{progress.stage, progress.done, progress.total}});
  };
}

}  // namespace

EngineClient::EngineClient(std::unique_ptr<session::Service> service, QObject* parent)
    : QObject(parent), service_(std::move(service)) {
  mailbox_ = std::make_shared<Mailbox>([this] {
    QMetaObject::invokeMethod(
        this, [this] { scheduleDelivery(); }, Qt::QueuedConnection);
  });
  frameTimer_.setSingleShot(true);
  frameTimer_.setTimerType(Qt::PreciseTimer);
  connect(&frameTimer_, &QTimer::timeout, this, qOverload<>(&EngineClient::deliver));
}

EngineClient::~EngineClient() {
  mailbox_->close();
  service_.reset();
}

RequestId EngineClient::load(Slot slot, session::SetUp setUp) {
  const RequestId request = ++lastRequest_;
  service_->load(slot, std::move(setUp), progressInto(mailbox_, request),
                 [mailbox = mailbox_, request](const Result<session::LoadedModel>& result) {
                   mailbox->post(eventOf(request, result));
                 });
  return request;
}

RequestId EngineClient::estimate(Slot slot, session::AskRequest request) {
  const RequestId id = ++lastRequest_;
  service_->estimate(slot, std::move(request),
                     [mailbox = mailbox_, id](const Result<session::AskEstimate>& result) {
                       mailbox->post(eventOf(id, result));
                     });
  return id;
}

RequestId EngineClient::ask(Slot slot, session::AskRequest request) {
  const RequestId id = ++lastRequest_;
  session::AskEvents events;
  events.progress = progressInto(mailbox_, id);
  events.text = [mailbox = mailbox_, id](const std::string& text) { mailbox->post({id, AnswerText{text}}); };
  events.done = [mailbox = mailbox_, id](const Result<session::RunRecord>& result) {
    mailbox->post(eventOf(id, result));
  };
  service_->ask(slot, std::move(request), std::move(events));
  return id;
}

void EngineClient::cancel() {
  service_->cancel();
}

void EngineClient::scheduleDelivery() {
  if (frameTimer_.isActive()) return;
  const qint64 elapsed = sinceDelivery_.isValid() ? sinceDelivery_.elapsed() : frameMs;
  frameTimer_.start(static_cast<int>(std::clamp<qint64>(frameMs - elapsed, 0, frameMs)));
}

void EngineClient::deliver() {
  sinceDelivery_.start();
  for (const EngineEvent& event : mailbox_->take()) deliver(event);
}

void EngineClient::deliver(const EngineEvent& event) {
  const RequestId id = event.request;
  if (const auto* progress = std::get_if<StageProgress>(&event.content)) emit progressed(id, *progress);
  if (const auto* text = std::get_if<AnswerText>(&event.content))
    emit textArrived(id, QString::fromStdString(text->text));
  if (const auto* model = std::get_if<session::LoadedModel>(&event.content)) emit loaded(id, *model);
  if (const auto* estimate = std::get_if<session::AskEstimate>(&event.content)) emit estimated(id, *estimate);
  if (const auto* record = std::get_if<RunRecordPtr>(&event.content)) emit finished(id, *record);
  if (const auto* error = std::get_if<Error>(&event.content)) emit failed(id, *error);
}

}  // namespace orthros::ui
