// Dispatches that are recorded once and run any number of times: the device's work without the host's.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "engine/base/result.hpp"
#include "engine/kernels/dispatcher.hpp"
#include "engine/vulkan/command_recorder.hpp"
#include "engine/vulkan/submission.hpp"

namespace orthros::kernels {

// Buffers and pipelines must live as long as the program is run.
class Program final : public Dispatcher {
 public:
  // Reports carry device times as `timestamps` say: none, of a whole run, or of every operation as well.
  static Result<std::unique_ptr<Program>> create(vulkan::Device& device, vulkan::TimestampMode timestamps);

  Status dispatch(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                  std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                  const vulkan::DispatchLabel& label) override;
  Status copy(vulkan::Buffer& source, vulkan::Buffer& target, uint64_t bytes);
  // Ends the recording; from now on the program can be started.
  Status end();

  // Submits it, behind everything submitted before. Error: it is still running.
  Status start();
  // Waits for the latest start and reports what it did. Where programs were started one behind another,
  // `previousDone` is when the one before was done.
  Result<WorkReport> finish(std::chrono::steady_clock::time_point previousDone = {});

 private:
  Program() = default;

  std::unique_ptr<vulkan::CommandRecorder> recorder_;
  std::optional<vulkan::Submission> submission_;
  std::chrono::steady_clock::time_point startedAt_;
  WorkReport report_;  // of one run, without times
};

}  // namespace orthros::kernels
