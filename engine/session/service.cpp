#include "engine/session/service.hpp"

#include <exception>
#include <optional>

#include "engine/session/job_queue.hpp"
#include "engine/session/model_slot.hpp"

namespace orthros::session {
namespace {

// Runs `work`, which gives a Result; what the standard library throws becomes an error.
template <class Work>
auto guarded(const CancelToken& cancel, Work&& work) -> decltype(work()) {
  try {
    ORTHROS_TRY(cancel.check("request"));
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::outOfMemory, "main memory", "is used up", "Close other programs and try again");
  } catch (const std::exception& exception) {
    return fail(ErrorCode::internal, "engine", exception.what(), "Report this as a fault of the program");
  }
}

// What lives on the engine's thread.
struct Engine {
  SharedDevices shared;
  ModelSlot slots[2] = {ModelSlot(shared), ModelSlot(shared)};
};

class EngineService final : public Service {
 public:
  void load(Slot slot, SetUp setUp, ProgressCallback progress,
            std::function<void(const Result<LoadedModel>&)> done) override {
    queue_.add([this, slot, setUp = std::move(setUp), progress = std::move(progress),
                done = std::move(done)](const CancelToken& cancel) {
      const auto result = guarded(cancel, [&] { return at(slot).load(setUp, progress, cancel); });
      if (done) done(result);
    });
  }

  void estimate(Slot slot, AskRequest request,
                std::function<void(const Result<AskEstimate>&)> done) override {
    queue_.add([this, slot, request = std::move(request), done = std::move(done)](const CancelToken& cancel) {
      const auto result = guarded(cancel, [&] { return at(slot).estimate(request, cancel); });
      if (done) done(result);
    });
  }

  void ask(Slot slot, AskRequest request, AskEvents events) override {
    queue_.add(
        [this, slot, request = std::move(request), events = std::move(events)](const CancelToken& cancel) {
          const auto result = guarded(cancel, [&] {
            return at(slot).ask(request, {.progress = events.progress, .text = events.text}, cancel);
          });
          if (events.done) events.done(result);
        });
  }

  void cancel() override { queue_.cancelAll(); }

 private:
  ModelSlot& at(Slot slot) {
    if (!engine_) engine_.emplace();
    return engine_->slots[slot];
  }

  std::optional<Engine> engine_;  // used by the queue's thread only
  JobQueue queue_{[this] { engine_.reset(); }};
};

}  // namespace

std::unique_ptr<Service> startService() {
  return std::make_unique<EngineService>();
}

}  // namespace orthros::session
