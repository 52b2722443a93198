// A first look at a device's speed with a loaded model.
#pragma once

#include "engine/base/cancel.hpp"
#include "engine/cost/events.hpp"
#include "engine/model/device_model.hpp"
#include "engine/session/speed_book.hpp"

namespace orthros::session {

class OpenedModel;

// Runs a few rows twice: the first time compiles what the driver compiles late, the second is timed. Does
// nothing where the device's rates are known, except for the first. Takes about as long as reading 100
// tokens.
Status probeSpeed(const OpenedModel& opened, SpeedBook& speeds, const CancelToken& cancel);

// What the graph's kernels fix beyond the shape, for predictions of this model on its device.
cost::GraphFacts graphFactsOf(const model::DeviceModel& model, const cost::ModelShape& shape);

}  // namespace orthros::session
