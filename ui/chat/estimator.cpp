#include "ui/chat/estimator.hpp"

namespace orthros::ui {
namespace {

constexpr int pauseMs = 250;

}  // namespace

Estimator::Estimator(EngineClient& engine, MakeRequest makeRequest, QObject* parent)
    : QObject(parent), engine_(engine), makeRequest_(std::move(makeRequest)) {
  timer_.setSingleShot(true);
  timer_.setInterval(pauseMs);
  connect(&timer_, &QTimer::timeout, this, &Estimator::ask);
  connect(&engine_, &EngineClient::estimated, this,
          [this](RequestId request, const session::AskEstimate& estimate) {
            if (request != request_) return;
            request_ = 0;
            latest_ = estimate;
            emit changed();
          });
}

void Estimator::refresh() {
  timer_.start();
}

void Estimator::ask() {
  auto request = makeRequest_();
  if (request) {
    request_ = engine_.estimate(session::Service::mainSlot, std::move(*request));
    return;
  }
  request_ = 0;
  latest_.reset();
  emit changed();
}

}  // namespace orthros::ui
