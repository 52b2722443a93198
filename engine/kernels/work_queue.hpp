// Feeds dispatches to the device in bounded submits: each is estimated to take about 50 ms, so that a
// driver's watchdog never fires, cancelling is prompt and a desktop stays smooth. A dispatch that would take
// longer is cut into slices of its workgroups. While one submit runs the next is recorded; a device that has
// nothing to do gets what there is.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/kernels/dispatcher.hpp"
#include "engine/vulkan/command_recorder.hpp"
#include "engine/vulkan/submission.hpp"

namespace orthros::kernels {

class WorkQueue final : public Dispatcher {
 public:
  static constexpr std::chrono::milliseconds targetSubmit{50};

  static Result<std::unique_ptr<WorkQueue>> create(vulkan::Device& device);
  ~WorkQueue() override;

  // Timestamps around every dispatch from now on. Call between finish() and the next dispatch.
  Status setTracing(bool tracing);
  // Checked before every submit; an error cancelled leaves finished work as it is.
  void setCancel(CancelToken cancel) { cancel_ = std::move(cancel); }

  Status dispatch(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                  std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                  const vulkan::DispatchLabel& label) override;
  Status copy(vulkan::Buffer& source, vulkan::Buffer& target, std::span<const VkBufferCopy> regions);
  Status fill(vulkan::Buffer& target, uint64_t offset, uint64_t range, uint32_t pattern);

  // Submits what is left without waiting.
  Status flush();
  // The number of the latest submit, counted from 1.
  uint64_t lastSubmit() const { return lastSubmit_; }
  // Waits for all submits up to this one.
  Status finishUpTo(uint64_t submit);
  // Submits what is left and waits for everything. Also after an error: nothing is pending afterwards.
  Status finish();
  WorkReport takeReport();

 private:
  struct Slot {
    std::unique_ptr<vulkan::CommandRecorder> recorder;
    std::optional<vulkan::Submission> submission;
    double estimatedNs = 0;
    std::chrono::steady_clock::time_point submittedAt;
    uint64_t number = 0;  // of the submission
  };

  explicit WorkQueue(vulkan::Device& device);
  Status createRecorders(bool tracing);
  Result<vulkan::CommandRecorder*> recorder();
  double estimateNs(const vulkan::DispatchLabel& label) const;
  Status dispatchSlices(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                        std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                        const vulkan::DispatchLabel& label, double estimatedNs);
  Status account(double estimatedNs);
  Result<bool> isIdle();
  Status submitCurrent();
  Status retire(Slot& slot);
  Status collectTimes(Slot& slot);
  void learn(double estimatedNs, double actualNs);

  std::shared_ptr<vulkan::Device> device_;
  Slot slots_[2];
  int current_ = 0;
  bool recording_ = false;
  uint64_t lastSubmit_ = 0;
  bool tracing_ = false;
  CancelToken cancel_;
  double nsPerFlop_;
  double nsPerByte_;
  double correction_ = 1.0;  // measured over estimated time
  std::chrono::steady_clock::time_point lastDone_{};
  WorkReport report_;
};

}  // namespace orthros::kernels
