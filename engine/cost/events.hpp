// What the engine's graph does for a batch of rows, operation by operation: dispatches, FLOP, bytes and
// attention pairs, known before the run and compared with what the run recorded.
//
// The graph. Before the layers: embed. Per layer: norm, qkv (with RoPE and the K and V write), attention,
// output (with the residual), norm, gateUp (with SwiGLU), down (with the residual). After them: norm and
// logits, for the rows whose logits are wanted; in the last layer only those rows go on after K and V. For up
// to `smallRows` rows the norms are part of the products and attention is decodeAttention (split over keys),
// followed by merge where it does not join its parts itself; attention of many rows is followed by merge
// where it is split. RoPE and the cache write of many rows are an operation of their own unless qkv does
// them. The operations are a table in events.cpp.
//
// Bytes. An operation reads each of its distinct inputs once and writes each output once, padding left out;
// what a kernel reads again because a tile needs it again, and the partial results of split attention, are
// the kernel's own affair and not counted. The labels of engine/kernels count the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/cost/attention_split.hpp"
#include "engine/cost/rates.hpp"
#include "engine/cost/shape.hpp"
#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"

namespace orthros::cost {

// What the graph's kernels fix beyond the model's shape. Sizes in bytes.
struct GraphFacts {
  uint32_t smallRows = 8;      // rows; up to here the matrix-vector kernels run
  uint32_t logitRows = 32;     // rows of logits that are computed at once
  uint32_t rowValueBytes = 4;  // of what kernels of more than smallRows rows hand to each other; the residual
                               // stream, joined Q, K and V, and logits have 4
  AttentionTiling tiling;      // of attention of more than smallRows rows
  bool fusesRope = false;      // qkv of more than smallRows rows rotates and writes the cache itself
  bool fusesRopeOfFewRows = true;  // and of fewer
  bool mergesFewRows = false;      // decodeAttention joins its parts itself
  struct {
    uint64_t embeddingRow = 0;                           // one row of the embedding table
    uint64_t qkv = 0, output = 0, gateUp = 0, down = 0;  // one layer's matrices
    uint64_t logits = 0;                                 // the output matrix
  } weights;
};

// Facts with the model's weightBytes shared out over the matrices in proportion to their elements (the output
// matrix counted once, as if tied).
GraphFacts graphFactsFor(const ModelShape& shape);

struct OperationCount {
  std::string operation;
  Limit limit = Limit::memory;
  uint64_t dispatches = 0;
  uint64_t flop = 0;
  uint64_t bytes = 0;
  uint64_t pairs = 0;  // of attention
  bool operator==(const OperationCount&) const = default;
};

// Consecutive rows that go through the graph together; the last `wantedRows` of them yield logits.
struct RowRange {
  uint32_t firstRow = 0;
  uint32_t rows = 0;
  uint32_t wantedRows = 0;
};

// The operations of one batch in the graph's order, one entry per operation and limit. `spans` covers all its
// rows.
std::vector<OperationCount> predictBatch(const ModelShape& shape, const phase::PhasePlan& plan,
                                         const GraphFacts& facts, const phase::PhaseSpans& spans,
                                         const RowRange& batch);

// The rows [begin, spans.length()) in batches of at most `batchRows`; logits are wanted for the last row.
std::vector<RowRange> cutRows(const phase::PhaseSpans& spans, uint32_t begin, uint32_t batchRows);

// Adds `more` to `counts`, operation by operation.
void addCounts(std::vector<OperationCount>& counts, std::span<const OperationCount> more);
// All operations together; its name is empty.
OperationCount totalOf(std::span<const OperationCount> counts);
// The sum of the operations' times; empty where a rate is unknown.
std::optional<double> predictNs(std::span<const OperationCount> counts, const DeviceRates& rates);

}  // namespace orthros::cost
