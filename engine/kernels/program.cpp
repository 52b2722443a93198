#include "engine/kernels/program.hpp"

#include <algorithm>

namespace orthros::kernels {

using Clock = std::chrono::steady_clock;

Result<std::unique_ptr<Program>> Program::create(vulkan::Device& device, vulkan::TimestampMode timestamps) {
  std::unique_ptr<Program> program(new Program);
  vulkan::RecorderOptions options;
  options.name = "program";
  options.timestamps = timestamps;
  ORTHROS_ASSIGN(program->recorder_, vulkan::CommandRecorder::create(device, options));
  ORTHROS_TRY(program->recorder_->begin());
  program->report_.submits = 1;
  return program;
}

Status Program::dispatch(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                         std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                         const vulkan::DispatchLabel& label) {
  report_.operations[label.operation].add(label);
  return recorder_->dispatch(pipeline, bindings, push, groups, label);
}

Status Program::copy(vulkan::Buffer& source, vulkan::Buffer& target, uint64_t bytes) {
  const VkBufferCopy region{0, 0, bytes};
  return recorder_->copyBuffer(source, target, {&region, 1});
}

Status Program::end() {
  return recorder_->end();
}

Status Program::start() {
  startedAt_ = Clock::now();
  ORTHROS_ASSIGN(submission_, vulkan::submit(*recorder_));
  return {};
}

Result<WorkReport> Program::finish(Clock::time_point previousDone) {
  if (!submission_) return fail(ErrorCode::internal, "program", "was not started");
  const Status waited = submission_->wait();
  submission_.reset();
  ORTHROS_TRY(waited);
  WorkReport report = report_;
  report.longestSubmitNs = static_cast<uint64_t>((Clock::now() - std::max(startedAt_, previousDone)) /
                                                 std::chrono::nanoseconds(1));
  if (recorder_->timestampMode() == vulkan::TimestampMode::none) return report;
  ORTHROS_ASSIGN(const auto times, recorder_->timestamps());
  for (const auto& time : times) report.deviceNs += time.durationNs();
  if (recorder_->timestampMode() == vulkan::TimestampMode::submission) return report;
  const auto& events = recorder_->events();
  for (size_t i = 0; i < times.size() && i < events.size(); ++i) {
    const auto operation = report.operations.find(events[i].operation);
    if (operation != report.operations.end()) operation->second.deviceNs += times[i].durationNs();
  }
  return report;
}

}  // namespace orthros::kernels
