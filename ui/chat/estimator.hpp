// What sending the draft would cost, asked of the engine a moment after the last change.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

#include "ui/engine_client/engine_client.hpp"

namespace orthros::ui {

class Estimator : public QObject {
  Q_OBJECT

 public:
  using MakeRequest = std::function<std::optional<session::AskRequest>()>;

  // `makeRequest` gives the request to price, or nothing where there is nothing to send or the engine is
  // busy.
  Estimator(EngineClient& engine, MakeRequest makeRequest, QObject* parent = nullptr);

  void refresh();  // soon: calls that follow each other make one request
  const std::optional<session::AskEstimate>& latest() const { return latest_; }

 signals:
  void changed();

 private:
  void ask();

  EngineClient& engine_;
  MakeRequest makeRequest_;
  QTimer timer_;
  RequestId request_ = 0;
  std::optional<session::AskEstimate> latest_;
};

}  // namespace orthros::ui
