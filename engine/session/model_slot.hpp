// One of a service's set-ups: the loaded model, its conversation and the answers that were generated in it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/session/opened_model.hpp"
#include "engine/session/service.hpp"

namespace orthros::session {

// What the slots of a service share.
struct SharedDevices {
  DevicePool pool;
  std::shared_ptr<SpeedBook> speeds = std::make_shared<SpeedBook>();
};

class ModelSlot {
 public:
  explicit ModelSlot(SharedDevices& shared) : shared_(shared) {}

  // Keeps the earlier model until the new one is loaded. Where memory does not suffice for both, the earlier
  // one goes.
  Result<LoadedModel> load(const SetUp& setUp, const ProgressCallback& progress, const CancelToken& cancel);
  Result<AskEstimate> estimate(const AskRequest& request, const CancelToken& cancel);
  // After a lost device the next call loads the model anew; the conversation is read again from the request.
  Result<RunRecord> ask(const AskRequest& request, const SessionEvents& events, const CancelToken& cancel);

 private:
  struct Prompt {
    std::vector<Segment> segments;
    Layout layout;
    uint64_t tokeniseNs = 0;
  };
  Status open(const SetUp& setUp, const ProgressCallback& progress, const CancelToken& cancel);
  Status ensureOpen(const CancelToken& cancel);
  void close();
  Result<Prompt> buildPrompt(const AskRequest& request, const CancelToken& cancel) const;
  void remember(const Answer& answer);
  LoadedModel summary() const;

  SharedDevices& shared_;
  std::optional<SetUp> setUp_;
  std::shared_ptr<OpenedModel> opened_;
  std::unique_ptr<Session> session_;
  std::vector<KnownAnswer> known_;
};

}  // namespace orthros::session
