#include "ui/engine_client/mailbox.hpp"

#include <utility>

namespace orthros::ui {

void Mailbox::post(EngineEvent event) {
  const std::lock_guard lock(mutex_);
  if (!wake_) return;
  if (mergeIntoLast(event)) return;
  events_.push_back(std::move(event));
  if (events_.size() == 1) wake_();
}

std::vector<EngineEvent> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  wake_ = nullptr;
  events_.clear();
}

bool Mailbox::mergeIntoLast(EngineEvent& event) {
  if (events_.empty() || events_.back().request != event.request) return false;
  auto& last = events_.back().content;
  if (auto* text = std::get_if<AnswerText>(&event.content)) {
    auto* lastText = std::get_if<AnswerText>(&last);
    if (lastText) lastText->text += text->text;
    return lastText != nullptr;
  }
  if (auto* progress = std::get_if<StageProgress>(&event.content)) {
    auto* lastProgress = std::get_if<StageProgress>(&last);
    const bool sameStage = lastProgress && lastProgress->stage == progress->stage;
    if (sameStage) *lastProgress = std::move(*progress);
    return sameStage;
  }
  return false;
}

}  // namespace orthros::ui
