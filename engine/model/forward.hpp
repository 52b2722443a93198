// The forward pass: runs a batch of rows through all layers under a phase plan, appends their K and V to a
// cache and gives the logits of the last rows. Work goes to the device in bounded submits
// (kernels::WorkQueue).
//
// Per layer: norm, qkv, rope (and cache write), attention, output (+ residual), norm, gateUp (SwiGLU), down
// (+ residual). Up to Projection::fewRows rows norms are part of the products and attention is split and, where
// the kernel does not do it itself, merged. Rope is part of qkv where Projection::fusesQkv. The last layer computes K and V for all rows and the rest only for rows whose logits are
// wanted.
#pragma once

#include <memory>
#include <span>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/model/device_model.hpp"
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
};

struct BatchReport {
  kernels::WorkReport work;
  uint64_t attentionPairs = 0;  // allowed (query, key) pairs computed, summed over layers
  uint64_t wallNs = 0;
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

 private:
  struct Batch;  // what the layers of one run share

  Forward(std::shared_ptr<DeviceModel> model, const phase::PhasePlan& plan);
  Status check(const RowBatch& rows, size_t logits) const;
  Status execute(Batch& batch, std::span<float> logits);
  kernels::Activations queries(const Batch& batch) const;
  Status recordEmbedding(const Batch& batch);
  Status recordLayer(Batch& batch, uint32_t layer);
  Status recordQkv(const Batch& batch, uint32_t layer);
  Status recordAttention(Batch& batch, uint32_t layer, uint32_t firstRow);
  Status recordFeedForward(const Batch& batch, uint32_t layer, uint32_t firstRow);
  Status recordProduct(kernels::ProjectionJob job, const kernels::Vector& gain);
  Status computeLogits(const Batch& batch, std::span<float> logits);

  std::shared_ptr<DeviceModel> model_;
  phase::PhasePlan plan_;
  AttentionClasses classes_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace orthros::model
