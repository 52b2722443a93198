#include "engine/kernels/work_queue.hpp"

#include <algorithm>
#include <cmath>

namespace orthros::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// First guesses, on the slow side; measured times correct them after the first submit.
struct Rates {
  double flops;
  double bytesPerSecond;
};

Rates assumedRates(vulkan::DeviceType type) {
  switch (type) {
    case vulkan::DeviceType::discrete:
      return {2e12, 1e11};
    case vulkan::DeviceType::cpu:
      return {1e10, 3e9};
    default:
      return {2e11, 2e10};
  }
}

constexpr double dispatchNs = 2e4;
constexpr double earlyNs = 5e5;  // what an idle device is given at least
constexpr double targetNs = std::chrono::duration<double, std::nano>(WorkQueue::targetSubmit).count();

// The axis along which a dispatch is cut: the one with the most workgroups.
// The axis along which a dispatch is best cut.
uint32_t vulkan::WorkgroupCount::*widestAxis(const vulkan::WorkgroupCount& groups, bool joinsZ) {
  using vulkan::WorkgroupCount;
  const auto widest = groups.y >= groups.x ? &WorkgroupCount::y : &WorkgroupCount::x;
  return joinsZ || groups.*widest >= groups.z ? widest : &WorkgroupCount::z;
}

}  // namespace

WorkQueue::WorkQueue(vulkan::Device& device) : device_(device.shared_from_this()) {
  const Rates rates = assumedRates(device.info().type);
  nsPerFlop_ = 1e9 / rates.flops;
  nsPerByte_ = 1e9 / rates.bytesPerSecond;
}

WorkQueue::~WorkQueue() = default;

Result<std::unique_ptr<WorkQueue>> WorkQueue::create(vulkan::Device& device) {
  std::unique_ptr<WorkQueue> queue(new WorkQueue(device));
  ORTHROS_TRY(queue->createRecorders(false));
  return queue;
}

Status WorkQueue::createRecorders(bool tracing) {
  vulkan::RecorderOptions options;
  options.name = "work";
  options.timestamps = tracing ? vulkan::TimestampMode::perDispatch : vulkan::TimestampMode::none;
  for (Slot& slot : slots_) {
    ORTHROS_ASSIGN(slot.recorder, vulkan::CommandRecorder::create(*device_, options));
  }
  tracing_ = tracing;
  return {};
}

Status WorkQueue::setTracing(bool tracing) {
  if (tracing == tracing_) return {};
  ORTHROS_TRY(finish());
  return createRecorders(tracing);
}

Result<vulkan::CommandRecorder*> WorkQueue::recorder() {
  Slot& slot = slots_[current_];
  if (!recording_) {
    ORTHROS_TRY(retire(slot));
    ORTHROS_TRY(slot.recorder->begin());
    slot.estimatedNs = 0;
    recording_ = true;
  }
  return slot.recorder.get();
}

double WorkQueue::estimateNs(const vulkan::DispatchLabel& label) const {
  const double arithmetic = static_cast<double>(label.flop) * nsPerFlop_;
  const double memory = static_cast<double>(label.bytesRead + label.bytesWritten) * nsPerByte_;
  return dispatchNs + correction_ * std::max(arithmetic, memory);
}

Status WorkQueue::dispatch(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                           std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                           const vulkan::DispatchLabel& label) {
  report_.operations[label.operation].add(label);
  const double estimated = estimateNs(label);
  if (estimated > targetNs) return dispatchSlices(pipeline, bindings, push, groups, label, estimated);
  ORTHROS_ASSIGN(vulkan::CommandRecorder * commands, recorder());
  ORTHROS_TRY(commands->dispatch(pipeline, bindings, push, groups, label));
  return account(estimated);
}

Status WorkQueue::dispatchSlices(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                                 std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                                 const vulkan::DispatchLabel& label, double estimatedNs) {
  const auto axis = widestAxis(groups, label.joinsZ);
  const uint32_t total = groups.*axis;
  const auto wanted =
      static_cast<uint32_t>(std::min(std::ceil(estimatedNs / targetNs), static_cast<double>(total)));
  const uint32_t each = (total + wanted - 1) / wanted;
  for (uint32_t first = 0; first < total; first += each) {
    vulkan::WorkgroupCount base{0, 0, 0}, part = groups;
    base.*axis = first;
    part.*axis = std::min(each, total - first);
    ORTHROS_ASSIGN(vulkan::CommandRecorder * commands, recorder());
    ORTHROS_TRY(commands->dispatch(pipeline, bindings, push, part, label, base));
    ORTHROS_TRY(account(estimatedNs * part.*axis / total));
  }
  return {};
}

Status WorkQueue::copy(vulkan::Buffer& source, vulkan::Buffer& target,
                       std::span<const VkBufferCopy> regions) {
  ORTHROS_ASSIGN(vulkan::CommandRecorder * commands, recorder());
  ORTHROS_TRY(commands->copyBuffer(source, target, regions));
  uint64_t bytes = 0;
  for (const VkBufferCopy& region : regions) bytes += 2 * region.size;
  return account(dispatchNs + static_cast<double>(bytes) * nsPerByte_);
}

Status WorkQueue::fill(vulkan::Buffer& target, uint64_t offset, uint64_t range, uint32_t pattern) {
  ORTHROS_ASSIGN(vulkan::CommandRecorder * commands, recorder());
  ORTHROS_TRY(commands->fillBuffer(target, offset, range, pattern));
  return account(dispatchNs + static_cast<double>(range) * nsPerByte_);
}

Status WorkQueue::account(double estimatedNs) {
  Slot& slot = slots_[current_];
  slot.estimatedNs += estimatedNs;
  if (slot.estimatedNs < earlyNs) return {};
  if (slot.estimatedNs >= targetNs) return submitCurrent();
  ORTHROS_ASSIGN(const bool idle, isIdle());
  return idle ? submitCurrent() : Status{};
}

Result<bool> WorkQueue::isIdle() {
  auto& other = slots_[1 - current_].submission;
  if (!other) return true;
  return other->done();
}

Status WorkQueue::submitCurrent() {
  ORTHROS_TRY(cancel_.check("run"));
  Slot& slot = slots_[current_];
  recording_ = false;
  ORTHROS_TRY(slot.recorder->end());
  slot.submittedAt = Clock::now();
  ORTHROS_ASSIGN(slot.submission, vulkan::submit(*slot.recorder));
  slot.number = ++lastSubmit_;
  ++report_.submits;
  current_ = 1 - current_;
  return {};
}

Status WorkQueue::retire(Slot& slot) {
  if (!slot.submission) return {};
  const Status waited = slot.submission->wait();
  slot.submission.reset();
  ORTHROS_TRY(waited);
  const auto now = Clock::now();
  const double ns =
      std::chrono::duration<double, std::nano>(now - std::max(slot.submittedAt, lastDone_)).count();
  lastDone_ = now;
  report_.longestSubmitNs = std::max(report_.longestSubmitNs, static_cast<uint64_t>(ns));
  learn(slot.estimatedNs, ns);
  return tracing_ ? collectTimes(slot) : Status{};
}

Status WorkQueue::collectTimes(Slot& slot) {
  ORTHROS_ASSIGN(const auto times, slot.recorder->timestamps());
  const auto& events = slot.recorder->events();
  for (size_t i = 0; i < times.size() && i < events.size(); ++i) {
    report_.operations[events[i].operation].deviceNs += times[i].durationNs();
    report_.deviceNs += times[i].durationNs();
  }
  return {};
}

// Follows the device's speed slowly upwards and at once downwards: too long a submit is worse than a short
// one.
void WorkQueue::learn(double estimatedNs, double actualNs) {
  if (estimatedNs < targetNs / 10) return;  // mostly fixed costs
  const double ratio = std::clamp(actualNs / estimatedNs, 0.02, 50.0);
  correction_ *= ratio > 1 ? std::min(ratio, 4.0) : std::pow(ratio, 0.25);
  correction_ = std::clamp(correction_, 1e-3, 1e3);
}

Status WorkQueue::flush() {
  if (!recording_) return {};
  if (slots_[current_].estimatedNs > 0) return submitCurrent();
  recording_ = false;
  return {};
}

Status WorkQueue::finishUpTo(uint64_t submit) {
  // The older submission first.
  for (Slot* slot : {&slots_[current_], &slots_[1 - current_]})
    if (slot->submission && slot->number <= submit) ORTHROS_TRY(retire(*slot));
  return {};
}

Status WorkQueue::finish() {
  Status status = flush();
  recording_ = false;
  // The older submission first, so that its time is not counted in the newer one's.
  for (const int index : {current_, 1 - current_}) {
    const Status retired = retire(slots_[index]);
    if (status && !retired) status = retired;
  }
  return status;
}

WorkReport WorkQueue::takeReport() {
  return std::exchange(report_, {});
}

}  // namespace orthros::kernels
