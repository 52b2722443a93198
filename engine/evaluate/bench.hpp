// Speed tables in the manner of llama-bench: rows per second when reading and when generating, at a depth,
// under several plans on the same weights and kernels. Tokenising and sampling are excluded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/evaluate/limits.hpp"
#include "engine/evaluate/statistics.hpp"
#include "engine/phase/plan.hpp"
#include "engine/session/row_runner.hpp"

namespace orthros::evaluate {

enum class BenchKind {
  prefill,  // "pp512 @ d4096": rows of the plan's prefill phase that follow 4096 others
  decode,   // "tg64 @ d4096": decode rows, one at a time
  prompt,   // "prompt 512": a whole prompt in an empty cache, its tail included
};

struct BenchTest {
  BenchKind kind = BenchKind::prefill;
  uint32_t tokens = 0;
  uint32_t depth = 0;
  std::string name() const;
  bool operator==(const BenchTest&) const = default;
};

struct BenchSettings {
  std::vector<phase::PhasePlan> plans;
  std::vector<uint32_t> prefill;   // tokens
  std::vector<uint32_t> generate;  // tokens
  std::vector<uint32_t> depths;    // tokens; prefill and generate are measured at each
  std::vector<uint32_t> prompts;   // tokens
  uint32_t repeats = 3;
  std::chrono::milliseconds warmUp{
      0};  // each plan reads rows for so long before it is timed: idle GPUs clock down
};

struct BenchRow {
  std::string plan;
  BenchTest test;
  std::vector<double> samples;  // tokens per second, one per repeat
  MeanAndDeviation tokensPerSecond;
  double flopPerSecond = 0;   // of products and attention, by the engine's own account
  double bytesPerSecond = 0;  // read and written, by the same
};

// How much faster a plan is than the one it is compared with.
struct BenchSpeedUp {
  std::string plan, against;
  BenchTest test;
  MeanAndDeviation factor;
};

struct BenchReport {
  std::vector<BenchRow> rows;
  std::optional<DeviceLimits> limits = {};  // tables then say what share of them each row reached
  std::vector<BenchSpeedUp> speedUps;
};

// A runner with an empty cache for `contextTokens` rows under a plan.
using NewRunner = std::function<Result<std::unique_ptr<session::RowRunner>>(const phase::PhasePlan&,
                                                                            uint32_t contextTokens)>;

// The rows that the longest test needs.
uint32_t longestTest(const BenchSettings& settings);

// Each plan warms up first, and its logits must be finite before anything is timed. Progress: stage "bench",
// in rows. Errors: invalidArgument naming the setting, those of the runner, cancelled.
Result<BenchReport> runBench(const NewRunner& newRunner, const BenchSettings& settings,
                             const ProgressCallback& progress, const CancelToken& cancel);

// Compares every plan with "vanilla", or with the first plan where there is none.
std::vector<BenchSpeedUp> speedUps(const std::vector<BenchRow>& rows);

// Two tables: rows per second, and speed-ups where there are any. `model` and `device` fill the first
// columns.
std::string toMarkdown(const BenchReport& report, const std::string& model, const std::string& device);
nlohmann::json toJson(const BenchReport& report);

}  // namespace orthros::evaluate
