// Answer rows, one after another: the graph of a single row of phase D, recorded once and replayed. What
// changes from row to row - token, position, keys - lies in the inputs; the token of the next row
// is chosen on the device.
//
// Step t of a run uses row t of the workspace, so each has a recording of its own, made when it is first
// needed. A recording is good as long as the cache keeps its buffers and attention its number of parts.
//
// Timestamps around every operation would cost a quarter of the time (H200). With tracing a row is timed as a
// whole, and one in many by operation: its shares divide the time of the rows after it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/kernels/program.hpp"
#include "engine/model/device_model.hpp"
#include "engine/model/graph.hpp"
#include "engine/model/kv_cache.hpp"
#include "engine/model/row_tables.hpp"
#include "engine/model/workspace.hpp"

namespace orthros::model {

struct BatchReport {
  kernels::WorkReport work;
  uint64_t attentionPairs = 0;  // allowed (query, key) pairs computed, summed over layers
  uint64_t wallNs = 0;
  uint64_t previousDoneNs = 0;  // from the call until the batch before was done; 0 where it was before
};

class DecodeLoop {
 public:
  static constexpr uint32_t maxSteps = Workspace::decodeRows;

  // What is passed must outlive the loop.
  DecodeLoop(DeviceModel& model, Workspace& workspace, const AttentionClasses& classes, const Graph& graph);

  // Appends a row and gives its logits [vocabulary].
  Result<BatchReport> run(KvCache& cache, uint32_t token, std::span<float> logits, bool tracing);
  // Forward::generate.
  Result<std::vector<BatchReport>> generate(KvCache& cache, uint32_t token, std::span<uint32_t> chosen,
                                            bool tracing);

 private:
  enum class Ending { logits, token };  // what a step gives: its logits to the host, or the next step's token

  // What a recording depends on.
  struct Situation {
    uint64_t cacheGeneration = 0;
    std::vector<uint32_t> splits = {};  // of attention, [class]
    vulkan::TimestampMode timestamps = vulkan::TimestampMode::none;
    bool operator==(const Situation&) const = default;
  };
  struct Recording {
    Situation situation;
    std::unique_ptr<kernels::Program> program;
    std::vector<RowTableData::Totals> totals;  // [class], that its labels were made with
  };

  Result<RowTableData> prepare(KvCache& cache, uint32_t token, uint32_t steps);
  Result<Recording*> recordingOf(const KvCache& cache, const RowTableData& tables, uint32_t step,
                                 Ending ending, bool tracing);
  Recording& slotFor(uint32_t step, Ending ending, bool byOperation);
  Status record(Recording& recording, const KvCache& cache, const RowTableData& tables, uint32_t step,
                Ending ending);
  Result<BatchReport> finish(Recording& recording, const KvCache& cache, const RowTableData& tables,
                             uint32_t step);
  void divideTime(kernels::WorkReport& report);

  DeviceModel& model_;
  Workspace& workspace_;
  const AttentionClasses& classes_;
  const Graph& graph_;
  Recording withLogits_, withLogitsByOperation_;
  std::array<Recording, maxSteps> withToken_;
  Recording withTokenByOperation_;
  uint64_t calls_ = 0;
  std::map<std::string, double> shares_;  // of an operation in the time of the latest row timed by operation
};

}  // namespace orthros::model
