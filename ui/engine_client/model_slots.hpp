// The two set-ups of the program: the one that answers, and the baseline that it is compared with.
#pragma once

#include <QObject>
#include <array>
#include <optional>

#include "ui/engine_client/engine_client.hpp"

namespace orthros::ui {

class ModelSlots : public QObject {
  Q_OBJECT

 public:
  using Slot = session::Service::Slot;
  enum class State { none, loading, ready, failed };

  explicit ModelSlots(EngineClient& engine, QObject* parent = nullptr);

  // Loads the main set-up and forgets the baseline, which belonged to the old one.
  void loadMain(const session::SetUp& setUp);
  // Loads the same base file without its adapter under full attention. Nothing where it is loaded or loading.
  void loadBaseline();
  // Shows why there is nothing to load.
  void failMain(const Error& error);

  State state(Slot slot) const { return entry(slot).state; }
  const session::LoadedModel& model(Slot slot) const { return entry(slot).model; }  // while ready
  const Error& error(Slot slot) const { return entry(slot).error; }                 // after a failure
  const StageProgress& progress(Slot slot) const { return entry(slot).progress; }   // while loading
  const std::optional<session::SetUp>& mainSetUp() const { return mainSetUp_; }

 signals:
  void changed(orthros::session::Service::Slot slot);
  void progressed(orthros::session::Service::Slot slot);

 private:
  struct Entry {
    State state = State::none;
    RequestId request = 0;
    session::LoadedModel model;
    StageProgress progress;
    Error error;
  };

  const Entry& entry(Slot slot) const { return entries_[static_cast<size_t>(slot)]; }
  Entry& entry(Slot slot) { return entries_[static_cast<size_t>(slot)]; }
  void begin(Slot slot, const session::SetUp& setUp);
  std::optional<Slot> slotOf(RequestId request) const;

  EngineClient& engine_;
  std::array<Entry, 2> entries_;
  std::optional<session::SetUp> mainSetUp_;
};

}  // namespace orthros::ui
