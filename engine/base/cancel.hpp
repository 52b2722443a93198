// A flag that another thread raises to end a long call early. The call returns ErrorCode::cancelled.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/base/result.hpp"

namespace orthros {

class CancelToken {
 public:
  void cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
  // An error once cancelled, for ORTHROS_TRY between two steps of long work.
  Status check(const char* subject) const {
    if (cancelled()) return fail(ErrorCode::cancelled, subject, "was cancelled");
    return {};
  }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

// How far a long call is. `done` and `total` share one unit, named by the call that reports.
struct Progress {
  const char* stage = "";  // "load weights", "prefill", ...
  uint64_t done = 0;
  uint64_t total = 0;
};
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace orthros
