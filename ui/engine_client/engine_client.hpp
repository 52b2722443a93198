// The engine as the window's thread sees it. Requests are plain calls that return at once; what the engine
// says comes back as signals on the window's thread, at most once per frame.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>

#include "ui/engine_client/mailbox.hpp"

namespace orthros::ui {

class EngineClient : public QObject {
  Q_OBJECT

 public:
  using Slot = session::Service::Slot;

  explicit EngineClient(std::unique_ptr<session::Service> service, QObject* parent = nullptr);
  // Cancels what runs and waits for the engine's thread; no signal is emitted any more.
  ~EngineClient() override;

  RequestId load(Slot slot, session::SetUp setUp);
  RequestId estimate(Slot slot, session::AskRequest request);
  RequestId ask(Slot slot, session::AskRequest request);
  // Ends the running request and those that wait; each still ends in `finished` or `failed`.
  void cancel();

 signals:
  void progressed(orthros::ui::RequestId request, const orthros::ui::StageProgress& progress);
  void textArrived(orthros::ui::RequestId request, const QString& text);
  void loaded(orthros::ui::RequestId request, const orthros::session::LoadedModel& model);
  void estimated(orthros::ui::RequestId request, const orthros::session::AskEstimate& estimate);
  void finished(orthros::ui::RequestId request, const orthros::ui::RunRecordPtr& record);
  void failed(orthros::ui::RequestId request, const orthros::Error& error);

 private:
  void scheduleDelivery();
  void deliver();
  void deliver(const EngineEvent& event);

  std::shared_ptr<Mailbox> mailbox_;
  std::unique_ptr<session::Service> service_;
  QTimer frameTimer_;
  QElapsedTimer sinceDelivery_;
  RequestId lastRequest_ = 0;
};

}  // namespace orthros::ui
