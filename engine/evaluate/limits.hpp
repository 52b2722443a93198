// What a device reaches through this engine when it does one thing only: the scale against which a benchmark
// says how much of the device a plan uses.
#pragma once

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/model/device_model.hpp"

namespace orthros::evaluate {

struct DeviceLimits {
  double flopPerSecond = 0;   // of a large product of f16 weights with the kernels the model runs on
  double bytesPerSecond = 0;  // of a copy on the device, reads and writes counted
  double readBytesPerSecond = 0;
};

// Products and copies grow until one takes about 20 ms, so that a slow device is not kept for long, some
// seconds in all. Takes memory for the time of the call. Errors: outOfMemory, cancelled, deviceLost.
Result<DeviceLimits> measureLimits(model::DeviceModel& model, const CancelToken& cancel);

}  // namespace orthros::evaluate
