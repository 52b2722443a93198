// One run of a recorded command buffer on the queue.
#pragma once

#include <chrono>
#include <memory>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/command_recorder.hpp"

namespace orthros::vulkan {

// The fence of a recorder, shared by the recorder and its submissions. Runs are numbered: an older run than
// the latest is over, because a recorder is submitted again only then.
class SubmissionState {
 public:
  static Result<std::shared_ptr<SubmissionState>> create(std::shared_ptr<Device> device);
  SubmissionState(const SubmissionState&) = delete;
  SubmissionState& operator=(const SubmissionState&) = delete;
  ~SubmissionState();

  bool pending() const { return pending_; }
  uint64_t latestRun() const { return run_; }
  Result<uint64_t> start(VkCommandBuffer commands, const char* name);
  Status wait(uint64_t run, std::chrono::nanoseconds timeout);
  Result<bool> isOver(uint64_t run);
  // Waits without a limit, ignoring errors; for destructors.
  void settle(uint64_t run);

 private:
  explicit SubmissionState(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  std::shared_ptr<Device> device_;
  VkFence fence_ = VK_NULL_HANDLE;
  const char* name_ = "";
  uint64_t run_ = 0;
  bool pending_ = false;
};

// Move-only; the destructor waits until the run is over, so that nothing it uses is destroyed too early.
class Submission {
 public:
  static constexpr std::chrono::nanoseconds noLimit = std::chrono::nanoseconds::max();

  Submission(std::shared_ptr<SubmissionState> state, uint64_t run) : state_(std::move(state)), run_(run) {}
  Submission(Submission&&) noexcept = default;
  Submission& operator=(Submission&& other) noexcept;
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;
  ~Submission();

  // Errors: deviceLost; internal when `timeout` has passed, the run then goes on and wait can be called
  // again; invalidArgument after a move.
  Status wait(std::chrono::nanoseconds timeout = noLimit);
  // Whether the run is over, without waiting. Error: deviceLost.
  Result<bool> done();

 private:
  Status checkNotMoved() const;

  std::shared_ptr<SubmissionState> state_;
  uint64_t run_ = 0;
};

// Runs what `recorder` holds. Runs of one device happen in the order of submission.
// Errors: invalidArgument (not ended, still pending from an earlier submit), deviceLost, outOfMemory.
Result<Submission> submit(CommandRecorder& recorder);

// submit and wait.
Status submitAndWait(CommandRecorder& recorder);

}  // namespace orthros::vulkan
