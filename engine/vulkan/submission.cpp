#include "engine/vulkan/submission.hpp"

#include <algorithm>
#include <utility>

namespace orthros::vulkan {

Result<std::shared_ptr<SubmissionState>> SubmissionState::create(std::shared_ptr<Device> device) {
  std::shared_ptr<SubmissionState> state(new SubmissionState(std::move(device)));
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  const VkResult result = vkCreateFence(state->device_->handle(), &info, nullptr, &state->fence_);
  if (result != VK_SUCCESS) return fail(state->device_->fault(result, "fence", "create it"));
  return state;
}

SubmissionState::~SubmissionState() {
  settle(run_);
  vkDestroyFence(device_->handle(), fence_, nullptr);
}

Result<uint64_t> SubmissionState::start(VkCommandBuffer commands, const char* name) {
  ORTHROS_TRY(device_->checkAlive());
  name_ = name;
  VkResult result = vkResetFences(device_->handle(), 1, &fence_);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "reset the fence"));
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  result = vkQueueSubmit(device_->queue(), 1, &info, fence_);
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "submit the commands"));
  pending_ = true;
  return ++run_;
}

Status SubmissionState::wait(uint64_t run, std::chrono::nanoseconds timeout) {
  ORTHROS_TRY(device_->checkAlive());
  if (!pending_ || run != run_) return {};
  const auto ns = static_cast<uint64_t>(std::max<int64_t>(timeout.count(), 0));
  const VkResult result = vkWaitForFences(device_->handle(), 1, &fence_, VK_TRUE, ns);
  if (result == VK_TIMEOUT) {
    return fail(ErrorCode::internal, name_,
                "the device has not finished after " + std::to_string(ns / 1'000'000) + " ms",
                "Wait longer, or restart the program if it stays so");
  }
  pending_ = false;
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "finish the commands"));
  return {};
}

Result<bool> SubmissionState::isOver(uint64_t run) {
  ORTHROS_TRY(device_->checkAlive());
  if (!pending_ || run != run_) return true;
  const VkResult result = vkGetFenceStatus(device_->handle(), fence_);
  if (result == VK_NOT_READY) return false;
  pending_ = false;
  if (result != VK_SUCCESS) return fail(device_->fault(result, name_, "finish the commands"));
  return true;
}

void SubmissionState::settle(uint64_t run) {
  if (!pending_ || run != run_) return;
  const VkResult result = vkWaitForFences(device_->handle(), 1, &fence_, VK_TRUE, UINT64_MAX);
  if (result == VK_ERROR_DEVICE_LOST) device_->markLost();
  pending_ = false;
}

Submission& Submission::operator=(Submission&& other) noexcept {
  if (this == &other) return *this;
  if (state_) state_->settle(run_);
  state_ = std::move(other.state_);
  run_ = other.run_;
  return *this;
}

Submission::~Submission() {
  if (state_) state_->settle(run_);
}

Status Submission::wait(std::chrono::nanoseconds timeout) {
  ORTHROS_TRY(checkNotMoved());
  return state_->wait(run_, timeout);
}

Result<bool> Submission::done() {
  ORTHROS_TRY(checkNotMoved());
  return state_->isOver(run_);
}

Status Submission::checkNotMoved() const {
  if (state_) return {};
  return fail(ErrorCode::invalidArgument, "submission", "used after it was moved");
}

Result<Submission> submit(CommandRecorder& recorder) {
  const auto& state = recorder.submissionState();
  if (!recorder.recorded())
    return fail(ErrorCode::invalidArgument, recorder.name(), "submitted before end()");
  ORTHROS_ASSIGN(const bool idle, state->isOver(state->latestRun()));
  if (!idle)
    return fail(ErrorCode::invalidArgument, recorder.name(), "submitted again before it has finished");
  ORTHROS_ASSIGN(const uint64_t run, state->start(recorder.handle(), recorder.name()));
  return Submission(state, run);
}

Status submitAndWait(CommandRecorder& recorder) {
  ORTHROS_ASSIGN(Submission submission, submit(recorder));
  return submission.wait();
}

}  // namespace orthros::vulkan
