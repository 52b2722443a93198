// The forward pass: runs a batch of rows through all layers under a phase plan, appends their K and V to a
// cache and gives the logits of the last rows. Work goes to the device in bounded submits
// (kernels::WorkQueue); answer rows, one at a time, are replayed (DecodeLoop).
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/model/decode_loop.hpp"
#include "engine/model/device_model.hpp"
#include "engine/model/graph.hpp"
#include "engine/model/kv_cache.hpp"
#include "engine/model/row_tables.hpp"
#include "engine/model/workspace.hpp"
#include "engine/phase/plan.hpp"

namespace orthros::model {

// Consecutive rows that follow the last row of the cache.
struct RowBatch {
  std::span<const uint32_t> tokens;      // [rows], 1 <= rows <= maxBatchRows
  std::span<const phase::Phase> phases;  // [rows]
  uint32_t wantedRows = 0;               // logits are wanted for this many last rows, 0..rows
  // Another batch follows at once: without wanted rows run may return while the device still computes this
  // one, whose time is then in the next report.
  bool more = false;
};

class Forward {
 public:
  // `plan` must be valid for the model (phase::validate).
  static Result<std::unique_ptr<Forward>> create(std::shared_ptr<DeviceModel> model,
                                                 const phase::PhasePlan& plan);

  const phase::PhasePlan& plan() const { return plan_; }
  uint32_t maxBatchRows() const { return model_->maxBatchRows(); }
  uint64_t workspaceBytes() const { return workspace_->bytes(); }

  // Appends the batch to `cache` and writes `logits` [wantedRows, vocabulary]. After an error the cache holds
  // what it held before. Errors: invalidArgument (a token id, a length), tooLong, cancelled, outOfMemory,
  // deviceLost.
  Result<BatchReport> run(KvCache& cache, const RowBatch& batch, std::span<float> logits,
                          const CancelToken& cancel, bool tracing = false);

  // Appends chosen.size() (1 to maxGeneratedRows) rows of phase D: `token`, then each time the likeliest
  // token after the row before. chosen[i] follows row i, so the last one is not in the cache yet. One report
  // per row. After an error the cache holds what it held before. Errors as in run.
  static constexpr uint32_t maxGeneratedRows = DecodeLoop::maxSteps;
  Result<std::vector<BatchReport>> generate(KvCache& cache, uint32_t token, std::span<uint32_t> chosen,
                                            const CancelToken& cancel, bool tracing = false);

  // Appends rows of phase D, `tokens` (1 to maxChosenRows), and gives the likeliest token after each, exactly
  // as generate would. Where attention would treat later rows in another way it appends fewer, at least one:
  // chosen.size() of them. After an error the cache holds what it held before. Errors as in run.
  static constexpr uint32_t maxChosenRows = DecodeLoop::maxChosen;
  Result<BatchReport> choose(KvCache& cache, std::span<const uint32_t> tokens, std::vector<uint32_t>& chosen,
                             const CancelToken& cancel, bool tracing = false);

 private:
  using Clock = std::chrono::steady_clock;

  Forward(std::shared_ptr<DeviceModel> model, const phase::PhasePlan& plan);
  Status check(const RowBatch& rows, size_t logits) const;
  Status execute(const Graph::Rows& rows, std::span<float> logits, Clock::time_point& previousDone);
  Status computeLogits(const Graph::Rows& rows, std::span<float> logits);

  std::shared_ptr<DeviceModel> model_;
  phase::PhasePlan plan_;
  AttentionClasses classes_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<DecodeLoop> decode_;
  uint64_t turn_ = 0;            // of the workspace's batch inputs
  uint64_t previousSubmit_ = 0;  // the last one of the batch before
};

}  // namespace orthros::model
