// Answer rows: the graph of one row of phase D, or of a few whose tokens are known, recorded once and
// replayed. What changes from row to row - token, position, keys - lies in the inputs; the token that follows
// is chosen on the device.
//
// Step t of a run uses row t of the workspace, so each has a recording of its own, made when it is first
// needed; so has each number of rows. A recording is good as long as the cache keeps its buffers and
// attention its number of parts.
//
// A row's result is bit for bit the same whether it is computed alone or beside others.
//
// Timestamps around every operation would cost a quarter of the time (H200). With tracing rows are timed as a
// whole, and once in many times by operation: these shares divide the time of what comes after.
#pragma once

#include <array>
#include <chrono>
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
  static constexpr uint32_t maxChosen = kernels::Argmax::maxRows;

  // What is passed must outlive the loop.
  DecodeLoop(DeviceModel& model, Workspace& workspace, const AttentionClasses& classes, const Graph& graph);

  // Appends a row and gives its logits [vocabulary].
  Result<BatchReport> run(KvCache& cache, uint32_t token, std::span<float> logits, bool tracing);
  // Forward::generate.
  Result<std::vector<BatchReport>> generate(KvCache& cache, uint32_t token, std::span<uint32_t> chosen,
                                            bool tracing);
  // Forward::choose.
  Result<BatchReport> choose(KvCache& cache, std::span<const uint32_t> tokens, std::vector<uint32_t>& chosen,
                             bool tracing);

 private:
  enum class Ending { logits, token };  // what rows give: logits to the host, or the tokens that follow
  // Rows of the workspace that are computed together.
  struct Step {
    uint32_t first = 0, count = 1;
    Ending ending = Ending::token;
  };

  // What a recording depends on.
  struct Situation {
    uint64_t cacheGeneration = 0;
    uint32_t rows = 1;
    std::vector<uint32_t> splits = {};  // of attention, [class]
    vulkan::TimestampMode timestamps = vulkan::TimestampMode::none;
    bool operator==(const Situation&) const = default;
  };
  struct Recording {
    Situation situation;
    std::unique_ptr<kernels::Program> program;
    std::vector<RowTableData::Totals> totals;  // [class], that its labels were made with
  };

  Result<RowTableData> prepare(KvCache& cache, std::span<const uint32_t> tokens);
  std::vector<uint32_t> splitsOf(const RowTableData& tables, uint32_t row) const;
  Result<Recording*> recordingOf(const KvCache& cache, const RowTableData& tables, const Step& step,
                                 bool tracing);
  Recording& slotFor(const Step& step, bool byOperation);
  Status record(Recording& recording, const KvCache& cache, const RowTableData& tables, const Step& step);
  Result<BatchReport> finish(Recording& recording, const KvCache& cache, const RowTableData& tables,
                             const Step& step);
  Status readTokens(const Step& step, std::span<uint32_t> chosen) const;
  void divideTime(kernels::WorkReport& report, uint32_t rows);

  DeviceModel& model_;
  Workspace& workspace_;
  const AttentionClasses& classes_;
  const Graph& graph_;
  Recording withLogits_, withLogitsByOperation_;
  std::array<Recording, maxSteps> withToken_;
  Recording withTokenByOperation_;
  std::array<Recording, maxChosen + 1> several_;  // [rows]
  Recording severalByOperation_;
  uint64_t calls_ = 0;
  std::chrono::steady_clock::time_point previousDone_{};
  // Of an operation in the time of the latest single row, or of the latest few, timed by operation.
  std::map<std::string, double> sharesOfOne_, sharesOfSeveral_;
};

}  // namespace orthros::model
