#include "engine/evaluate/limits.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "engine/base/checked.hpp"
#include "engine/gguf/half.hpp"
#include "engine/kernels/memory_sweep.hpp"
#include "engine/session/random.hpp"

namespace orthros::evaluate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double enoughSeconds = 0.02;     // of one piece of work: then it is large
constexpr double measuredSeconds = 0.3;    // of each size: the clocks of a device rise under load
constexpr double submittedSeconds = 0.02;  // of work at once: submitting it no longer counts
constexpr int leastRepeats = 3;
constexpr uint32_t smallestProduct = 256, largestProduct = 8192, mostRows = 4096;
constexpr uint64_t smallestSweep = 1 << 23, largestSweep = 1ull << 29;

double seconds(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<std::shared_ptr<vulkan::Buffer>> newBuffer(model::DeviceModel& model, const char* name,
                                                  uint64_t bytes) {
  vulkan::BufferDescription description;
  description.name = name;
  description.bytes = bytes;
  return vulkan::Buffer::create(model.device(), description);
}

// Numbers around zero: a device computes zeros with less power, and faster.
Status fillWithHalves(model::DeviceModel& model, vulkan::Buffer& buffer) {
  constexpr size_t blockValues = 1 << 20;
  session::Random random(1);
  std::vector<uint16_t> block(std::min<uint64_t>(blockValues, buffer.bytes() / 2));
  for (uint16_t& value : block) value = gguf::floatToHalf(static_cast<float>(random.uniform()) - 0.5f);
  const auto bytes = std::as_bytes(std::span(block));
  for (uint64_t offset = 0; offset < buffer.bytes(); offset += bytes.size())
    ORTHROS_TRY(model.transfer().upload(
        buffer, offset, bytes.first(std::min<uint64_t>(bytes.size(), buffer.bytes() - offset))));
  return {};
}

// The shortest time of one piece of work, done several times at once.
Result<double> best(model::DeviceModel& model, const CancelToken& cancel,
                    const std::function<Status()>& work) {
  double shortest = 0;
  int atOnce = 1;
  const auto start = Clock::now();
  for (int i = 0; i <= leastRepeats || seconds(start) < measuredSeconds; ++i) {
    ORTHROS_TRY(cancel.check("limits"));
    const auto begin = Clock::now();
    for (int piece = 0; piece < atOnce; ++piece) ORTHROS_TRY(work());
    ORTHROS_TRY(model.queue().finish());
    const double took = seconds(begin) / atOnce;
    if (i == 0) continue;  // it compiled
    shortest = shortest == 0 ? took : std::min(shortest, took);
    atOnce = static_cast<int>(std::clamp(submittedSeconds / took, 1.0, 16.0));
  }
  return shortest;
}

Result<double> productSeconds(model::DeviceModel& model, uint32_t size, uint32_t rows,
                              const CancelToken& cancel) {
  const kernels::ActivationFormat format = model.rowsFormat(rows);
  const uint64_t inputBytes = uint64_t{rows} * size * (format == kernels::ActivationFormat::f16 ? 2 : 4);
  kernels::ProjectionJob job;
  job.operation = "limits";
  job.rows = rows;
  ORTHROS_ASSIGN(const auto weights,
                 newBuffer(model, "weights", kernels::weightBytes(kernels::DeviceFormat::f16, size, size)));
  ORTHROS_ASSIGN(const auto inputs, newBuffer(model, "inputs", inputBytes));
  ORTHROS_ASSIGN(const auto outputs, newBuffer(model, "outputs", uint64_t{rows} * size * 4));
  ORTHROS_TRY(fillWithHalves(model, *weights));
  ORTHROS_TRY(fillWithHalves(model, *inputs));
  job.matrix = {weights.get(), 0, 0, kernels::DeviceFormat::f16, size, size, size, size};
  job.x = {inputs.get(), size, format};
  job.y = {outputs.get(), size};
  return best(model, cancel, [&] { return model.projection().record(model.queue(), job); });
}

Result<double> productRate(model::DeviceModel& model, const CancelToken& cancel) {
  double rate = 0;
  for (uint32_t size = smallestProduct; size <= largestProduct; size *= 2) {
    const uint32_t rows = std::min(size, mostRows);
    ORTHROS_ASSIGN(const double took, productSeconds(model, size, rows, cancel));
    rate = std::max(rate, 2.0 * rows * size * size / took);
    if (took > enoughSeconds) break;
  }
  return rate;
}

// Of a buffer so large that no cache holds it, where there is memory for it.
Result<double> sweepRate(model::DeviceModel& model, bool copies, const CancelToken& cancel) {
  kernels::MemorySweep sweep(model.library());
  const uint64_t mostBytes =
      std::min<uint64_t>(largestSweep, model.device().info().limits.maxStorageBufferRange);
  double rate = 0;
  for (uint64_t bytes = smallestSweep; bytes <= mostBytes; bytes *= 4) {
    const auto source = newBuffer(model, "sweep source", bytes);
    const auto target = newBuffer(model, "sweep target", copies ? bytes : kernels::MemorySweep::resultBytes);
    if (rate > 0 && (!source || !target)) break;
    if (!source) return fail(source.error());
    if (!target) return fail(target.error());
    ORTHROS_TRY(fillWithHalves(model, **source));
    const kernels::MemorySweepJob job{source->get(), target->get(), bytes, copies};
    ORTHROS_ASSIGN(const double took, best(model, cancel, [&] { return sweep.record(model.queue(), job); }));
    const uint64_t written = copies ? bytes : kernels::MemorySweep::resultBytes;
    rate = static_cast<double>(bytes + written) / took;
    if (took > enoughSeconds) break;
  }
  return rate;
}

}  // namespace

Result<DeviceLimits> measureLimits(model::DeviceModel& model, const CancelToken& cancel) {
  DeviceLimits limits;
  ORTHROS_ASSIGN(limits.flopPerSecond, productRate(model, cancel));
  ORTHROS_ASSIGN(limits.bytesPerSecond, sweepRate(model, true, cancel));
  ORTHROS_ASSIGN(limits.readBytesPerSecond, sweepRate(model, false, cancel));
  return limits;
}

}  // namespace orthros::evaluate
