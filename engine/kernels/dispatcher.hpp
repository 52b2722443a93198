// What kernels record into: a WorkQueue, which runs dispatches soon, or a Program, which is run again and
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "engine/base/result.hpp"
#include "engine/vulkan/command_recorder.hpp"

namespace orthros::kernels {

struct OperationReport {
  uint64_t dispatches = 0;
  uint64_t flop = 0;
  uint64_t bytes = 0;
  uint64_t deviceNs = 0;  // 0 without tracing

  void add(const vulkan::DispatchLabel& label) {
    ++dispatches;
    flop += label.flop;
    bytes += label.bytesRead + label.bytesWritten;
  }
};

// What was done since the last report. Slices of one dispatch count once.
struct WorkReport {
  uint64_t submits = 0;
  uint64_t deviceNs = 0;         // of all operations; 0 without tracing
  uint64_t longestSubmitNs = 0;  // wall time from the submit (or the end of the one before) to its fence
  std::map<std::string, OperationReport> operations;
};

class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  virtual Status dispatch(const vulkan::Pipeline& pipeline, std::span<const vulkan::Binding> bindings,
                          std::span<const std::byte> push, vulkan::WorkgroupCount groups,
                          const vulkan::DispatchLabel& label) = 0;
};

}  // namespace orthros::kernels
