// RunRecord: the one record of a run. The command line, the desktop, the benchmark and every export read it
// and nothing else measures. Times are ns, memory bytes, lengths tokens. JSON keys equal the member names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.hpp"

namespace orthros::session {

// Rows of a run are grouped as the program's pictures are: window rows of a prompt, its full tail, answer
// rows.
enum class RunPhase { prefill, tail, decode };
const char* runPhaseName(RunPhase phase);

struct PhaseTotals {
  uint64_t rows = 0;
  uint64_t wallNs = 0;
  uint64_t deviceNs = 0;  // sum over the operations' timestamps; 0 where tracing was off
  uint64_t submits = 0;
  uint64_t longestSubmitNs = 0;  // wall time of one submit on the device
  uint64_t discarded = 0;        // further rows: of guessed tokens that were not the answer's
  double tokensPerSecond() const {
    return wallNs == 0 ? 0.0 : 1e9 * static_cast<double>(rows) / static_cast<double>(wallNs);
  }
};

// One batch of rows (prefill), or one answer row, or a few whose tokens were guessed (decode); in order of
// time.
struct BatchEvent {
  RunPhase phase = RunPhase::prefill;
  uint32_t firstRow = 0;
  uint32_t rows = 0;
  uint64_t beginNs = 0;  // since the run began
  uint64_t endNs = 0;
};

// All dispatches of one operation in one phase of the run.
struct OperationTotals {
  std::string operation;  // "qkv", "attention", ...; the kernels' own names
  RunPhase phase = RunPhase::prefill;
  uint64_t dispatches = 0;
  uint64_t deviceNs = 0;
  uint64_t flop = 0;
  uint64_t bytes = 0;  // read and written, from the operation's own account
};

// Counted by the recorder; the cost model predicts the same numbers before the run.
struct EventCounts {
  uint64_t dispatches = 0;
  uint64_t attentionPairs = 0;  // allowed (query, key) pairs summed over layers
  uint64_t flop = 0;
  uint64_t bytes = 0;
  bool operator==(const EventCounts&) const = default;
};

struct RunRecord {
  uint32_t version = 1;
  std::string program;    // "orthros 0.1.0"
  std::string startedAt;  // ISO 8601, UTC
  struct {
    std::string name, file, architecture, weights;  // weights: device format in words
    uint64_t parameters = 0;
    std::string adapter;  // file name, empty without
  } model;
  struct {
    std::string name, type, uuid, driver;
  } device;
  struct {
    std::string name;
    bool foreign = false;  // not the plan that belongs to the adapter or model
    nlohmann::json definition;
  } plan;
  struct {
    uint64_t prompt = 0;     // tokens of the whole prompt, reused ones included
    uint64_t reused = 0;     // of them, served from the cache
    uint64_t generated = 0;  // answer tokens
    uint64_t context = 0;    // capacity of the cache
    uint64_t drafted = 0;    // answer tokens that were guessed from the text before and checked
    uint64_t accepted = 0;   // of them, right
  } lengths;
  struct {
    uint64_t load = 0, tokenise = 0, firstToken = 0, total = 0;
  } ns;
  PhaseTotals prefill, tail, decode;
  struct {
    uint64_t weights = 0, kv = 0, workspace = 0, budget = 0;
  } bytes;
  EventCounts measured, predicted;
  struct {
    uint64_t prefillNs = 0, tailNs = 0, decodeNs = 0;  // 0 where no rate is known yet
  } predictedTime;
  std::vector<BatchEvent> batches;
  std::vector<OperationTotals> operations;
  std::string answer;
  // "end" (the model ended its answer), "length" (maxTokens), "context" (the context is full), "stop" (a stop
  // string), "cancelled"
  std::string finish;

  const PhaseTotals& totals(RunPhase phase) const;
  PhaseTotals& totals(RunPhase phase);
};

nlohmann::json toJson(const RunRecord& record);
Result<RunRecord> runRecordFromJson(const nlohmann::json& json);

}  // namespace orthros::session
