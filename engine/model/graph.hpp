// The operations of a forward pass over rows whose inputs are written.
//
// Per layer: norm, qkv, rope (and cache write), attention, output (+ residual), norm, gateUp (SwiGLU), down
// (+ residual). Up to Projection::fewRows rows norms are part of the products and attention is split and,
// where the kernel does not do it itself, merged. Rope is part of qkv where Projection::fusesQkv. The last
// layer computes K and V for all rows and the rest only for rows whose logits are wanted.
#pragma once

#include <vector>

#include "engine/base/result.hpp"
#include "engine/kernels/dispatcher.hpp"
#include "engine/model/device_model.hpp"
#include "engine/model/kv_cache.hpp"
#include "engine/model/row_tables.hpp"
#include "engine/model/workspace.hpp"

namespace orthros::model {

class Graph {
 public:
  // Consecutive rows of a batch's inputs.
  struct Rows {
    const KvCache& cache;
    const BatchInputs& inputs;   // written
    const RowTableData& tables;  // as they are in the inputs
    uint32_t first = 0;          // in the inputs and in every buffer of activations
    uint32_t count = 0;
    uint32_t wanted = 0;  // logits are wanted for this many last rows
  };

  // What is passed must outlive the graph.
  Graph(DeviceModel& model, const Workspace& workspace, const AttentionClasses& classes);

  // Everything but the logits.
  Status record(kernels::Dispatcher& work, const Rows& rows) const;
  // The logits of `count` (up to Workspace::logitRows) rows from `first` on, to the workspace's logits.
  Status recordLogits(kernels::Dispatcher& work, uint32_t first, uint32_t count) const;
  // Allowed pairs that record computes, summed over layers.
  uint64_t attentionPairs(const Rows& rows) const;

 private:
  struct Span;  // rows with what all layers of a class share

  kernels::Activations queries(const Span& span) const;
  Status recordLayer(kernels::Dispatcher& work, const Span& span, uint32_t layer) const;
  Status recordQkv(kernels::Dispatcher& work, const Span& span, uint32_t layer) const;
  Status recordAttention(kernels::Dispatcher& work, const Span& span, uint32_t layer, uint32_t skipped) const;
  Status recordFeedForward(kernels::Dispatcher& work, const Span& span, uint32_t layer,
                           uint32_t skipped) const;
  Status recordProduct(kernels::Dispatcher& work, kernels::ProjectionJob job,
                       const kernels::Vector& gain) const;

  DeviceModel& model_;
  const Workspace& workspace_;
  const AttentionClasses& classes_;
};

}  // namespace orthros::model
