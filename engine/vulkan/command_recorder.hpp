// Records dispatches and copies into one command buffer, which can be submitted any number of times.
// Barriers are found by the recorder: one global memory barrier before a command that depends on an earlier
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <vulkan/vulkan.h>

#include "engine/base/result.hpp"
#include "engine/vulkan/buffer.hpp"
#include "engine/vulkan/hazards.hpp"
#include "engine/vulkan/pipeline.hpp"
#include "engine/vulkan/timestamps.hpp"

namespace orthros::vulkan {

class DescriptorPool;
class SubmissionState;

// Bytes [offset, offset + range) of a buffer as a shader sees them. `access` must tell the truth: barriers
// follow it.
struct Binding {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;
  uint64_t range = wholeRange;
  VkFormat format = VK_FORMAT_UNDEFINED;  // of texel bindings
  Access access = Access::read;
};

struct WorkgroupCount {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

// What a command does, for traces. The numbers are the caller's model of the work; FLOP are those of products
// and attention alone, as in the cost model.
struct DispatchLabel {
  const char* operation = "";  // a string that outlives the recorder
  int32_t layer = -1;          // -1: not in a layer
  uint64_t flop = 0;
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  // Workgroups along z wait for each other's results: all of them belong into one submit.
  bool joinsZ = false;
};

enum class TimestampMode {
  none,
  submission,   // one pair for everything
  perDispatch,  // one pair for every event
};

enum class BarrierMode {
  automatic,
  none,  // the caller knows that no command depends on another one
};

struct RecorderOptions {
  const char* name = "commands";  // for errors and debuggers; a string that outlives the recorder
  TimestampMode timestamps = TimestampMode::none;
  BarrierMode barriers = BarrierMode::automatic;
};

// Buffers and pipelines must outlive the last submission of what was recorded with them.
class CommandRecorder {
 public:
  static Result<std::unique_ptr<CommandRecorder>> create(Device& device, const RecorderOptions& options = {});
  CommandRecorder(const CommandRecorder&) = delete;
  CommandRecorder& operator=(const CommandRecorder&) = delete;
  ~CommandRecorder();  // waits for a pending submission

  // Starts anew, with a barrier after everything that was submitted earlier. Error: a submission is pending.
  Status begin();
  // Makes all writes visible to the host; the recorder can be submitted.
  Status end();

  // Runs `pipeline` over `groups` workgroups; nothing is recorded when a count is 0. `push` has pushBytes()
  // bytes. gl_WorkGroupID begins at `first`: a large dispatch can be cut into slices that the shader does not
  // notice. Errors: invalidArgument, unsupported (ranges, group counts above the device's limits).
  Status dispatch(const Pipeline& pipeline, std::span<const Binding> bindings,
                  std::span<const std::byte> push, WorkgroupCount groups, const DispatchLabel& label = {},
                  WorkgroupCount first = {0, 0, 0});
  // The same with the counts, three uint32_t, read from `arguments` at `offset` when the command runs.
  // The device's limits are the writer's duty.
  Status dispatchIndirect(const Pipeline& pipeline, std::span<const Binding> bindings,
                          std::span<const std::byte> push, Buffer& arguments, uint64_t offset,
                          const DispatchLabel& label = {});
  // Copies regions (bytes). The regions of one call must not overlap in the target.
  Status copyBuffer(Buffer& source, Buffer& target, std::span<const VkBufferCopy> regions,
                    const DispatchLabel& label = {.operation = "copy"});
  // Fills with a 32-bit pattern; offset and range are multiples of 4.
  Status fillBuffer(Buffer& target, uint64_t offset, uint64_t range, uint32_t pattern,
                    const DispatchLabel& label = {.operation = "fill"});
  // A barrier between everything before and everything after, whether needed or not.
  void barrier();

  // One label for every dispatch, copy and fill since begin(), in order.
  const std::vector<DispatchLabel>& events() const { return events_; }
  // Barriers recorded between commands since begin(); the fixed ones of begin() and end() do not count.
  size_t barrierCount() const { return barrierCount_; }
  TimestampMode timestampMode() const { return options_.timestamps; }

  // After a submission has completed: one pair per event (perDispatch), one in all (submission), none.
  // An event's time runs from the completion of the one before it to its own, so times add up to the whole.
  Result<std::vector<TimestampPair>> timestamps() const;

  const char* name() const { return options_.name; }
  Device& device() const { return *device_; }
  VkCommandBuffer handle() const { return commands_; }
  bool recorded() const { return phase_ == Phase::recorded; }
  // For submit().
  const std::shared_ptr<SubmissionState>& submissionState() const { return submission_; }

 private:
  enum class Phase { empty, recording, recorded };
  enum class Work { none, dispatch, indirectDispatch, transfer };

  CommandRecorder(std::shared_ptr<Device> device, const RecorderOptions& options);
  Status createHandles();
  Status checkRecording() const;
  Status prepareDispatch(Work work, const Pipeline& pipeline, std::span<const Binding> bindings,
                         std::span<const std::byte> push);
  Status checkGroups(const Pipeline& pipeline, WorkgroupCount groups, WorkgroupCount first) const;
  Status describeBindings(const Pipeline& pipeline, std::span<const Binding> bindings);
  Status describeBinding(BindingKind kind, const Binding& binding, size_t slot);
  Status checkStorageRange(const Buffer& buffer, uint64_t offset, uint64_t range) const;
  Status bindDescriptors(const Pipeline& pipeline);
  void separate(Work next);
  Status finishEvent(const DispatchLabel& label);

  std::shared_ptr<Device> device_;
  RecorderOptions options_;
  Phase phase_ = Phase::empty;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkPipeline boundPipeline_ = VK_NULL_HANDLE;
  std::shared_ptr<SubmissionState> submission_;
  std::unique_ptr<DescriptorPool> descriptors_;
  TimestampLog timestampLog_;
  HazardTracker hazards_;
  Work lastWork_ = Work::none;
  size_t barrierCount_ = 0;
  uint64_t runsBeforeRecording_ = 0;
  std::vector<DispatchLabel> events_;
  std::vector<ResourceUse> uses_;                    // of the command being recorded
  std::vector<VkDescriptorBufferInfo> bufferInfos_;  // the same
  std::vector<VkBufferView> views_;                  // the same
  std::vector<VkWriteDescriptorSet> writes_;         // the same
};

// The bytes of a push-constant struct.
template <class T>
std::span<const std::byte> pushBytes(const T& values) {
  return std::as_bytes(std::span<const T, 1>(&values, 1));
}

}  // namespace orthros::vulkan
