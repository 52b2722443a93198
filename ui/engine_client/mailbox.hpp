// What the engine's thread tells the window, collected until the window looks.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/session/service.hpp"

namespace orthros::ui {

using RequestId = uint64_t;
using RunRecordPtr = std::shared_ptr<const session::RunRecord>;

// How far a request is. `done` and `total` are tokens while reading a prompt, bytes while loading.
struct StageProgress {
  std::string stage;
  uint64_t done = 0;
  uint64_t total = 0;
};

struct AnswerText {
  std::string text;
};

struct EngineEvent {
  RequestId request = 0;
  std::variant<StageProgress, AnswerText, session::LoadedModel, session::AskEstimate, RunRecordPtr, Error>
      content;
};

// Any thread posts, one thread takes. Pieces of text that follow each other become one event, and of progress
// reports that follow each other only the latest of a stage is kept, so the box stays small however fast the
// engine is.
class Mailbox {
 public:
  // `wake` is called on the posting thread when the first event lies in an empty box.
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void post(EngineEvent event);
  std::vector<EngineEvent> take();
  // After this no post has an effect and `wake` is not called again.
  void close();

 private:
  bool mergeIntoLast(EngineEvent& event);

  std::mutex mutex_;
  std::vector<EngineEvent> events_;
  std::function<void()> wake_;
};

}  // namespace orthros::ui
