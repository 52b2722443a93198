#include "ui/engine_client/model_slots.hpp"

namespace orthros::ui {
namespace {

session::SetUp baselineOf(session::SetUp setUp) {
  setUp.adapter.reset();
  setUp.plan = "vanilla";
  return setUp;
}

}  // namespace

ModelSlots::ModelSlots(EngineClient& engine, QObject* parent) : QObject(parent), engine_(engine) {
  connect(&engine_, &EngineClient::progressed, this,
          [this](RequestId request, const StageProgress& progress) {
            const auto slot = slotOf(request);
            if (!slot) return;
            entry(*slot).progress = progress;
            emit progressed(*slot);
          });
  connect(&engine_, &EngineClient::loaded, this,
          [this](RequestId request, const session::LoadedModel& model) {
            const auto slot = slotOf(request);
            if (!slot) return;
            entry(*slot) = Entry{State::ready, 0, model, {}, {}};
            emit changed(*slot);
          });
  connect(&engine_, &EngineClient::failed, this, [this](RequestId request, const Error& error) {
    const auto slot = slotOf(request);
    if (!slot) return;
    entry(*slot) = Entry{State::failed, 0, {}, {}, error};
    emit changed(*slot);
  });
}

void ModelSlots::loadMain(const session::SetUp& setUp) {
  mainSetUp_ = setUp;
  entry(Slot::baselineSlot) = {};
  emit changed(Slot::baselineSlot);
  begin(Slot::mainSlot, setUp);
}

void ModelSlots::loadBaseline() {
  const State state = this->state(Slot::baselineSlot);
  if (!mainSetUp_ || state == State::loading || state == State::ready) return;
  begin(Slot::baselineSlot, baselineOf(*mainSetUp_));
}

void ModelSlots::failMain(const Error& error) {
  entry(Slot::mainSlot) = Entry{State::failed, 0, {}, {}, error};
  emit changed(Slot::mainSlot);
}

void ModelSlots::begin(Slot slot, const session::SetUp& setUp) {
  entry(slot) = Entry{State::loading, engine_.load(slot, setUp), {}, {}, {}};
  emit changed(slot);
}

std::optional<ModelSlots::Slot> ModelSlots::slotOf(RequestId request) const {
  for (const Slot slot : {Slot::mainSlot, Slot::baselineSlot})
    if (entry(slot).state == State::loading && entry(slot).request == request) return slot;
  return std::nullopt;
}

}  // namespace orthros::ui
