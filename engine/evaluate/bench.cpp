#include "engine/evaluate/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/session/layout.hpp"
#include "engine/session/random.hpp"

namespace orthros::evaluate {
namespace {

using phase::Phase;
using session::RowBatch;
using session::RowRunner;

constexpr uint32_t warmUpRows = 64;

Status atLeastOne(const char* setting, const std::vector<uint32_t>& values) {
  if (std::find(values.begin(), values.end(), 0u) == values.end()) return {};
  return fail(ErrorCode::invalidArgument, setting, "contains 0 tokens", "Give lengths of at least 1");
}

Status check(const BenchSettings& settings) {
  ORTHROS_TRY(atLeastOne("prefill length", settings.prefill));
  ORTHROS_TRY(atLeastOne("generated length", settings.generate));
  ORTHROS_TRY(atLeastOne("prompt length", settings.prompts));
  if (settings.plans.empty())
    return fail(ErrorCode::invalidArgument, "plans", "are missing", "Name at least one");
  if (settings.repeats == 0)
    return fail(ErrorCode::invalidArgument, "repeats", "are 0", "Measure at least once");
  return {};
}

std::vector<BenchTest> testsOf(const BenchSettings& settings) {
  std::vector<BenchTest> tests;
  std::vector<uint32_t> depths = settings.depths.empty() ? std::vector<uint32_t>{0} : settings.depths;
  std::sort(depths.begin(), depths.end());
  for (const uint32_t depth : depths) {
    for (const uint32_t tokens : settings.prefill) tests.push_back({BenchKind::prefill, tokens, depth});
    for (const uint32_t tokens : settings.generate) tests.push_back({BenchKind::decode, tokens, depth});
  }
  for (const uint32_t tokens : settings.prompts) tests.push_back({BenchKind::prompt, tokens, 0});
  return tests;
}

// The tests of one plan on one runner.
class PlanBench {
 public:
  PlanBench(RowRunner& runner, const phase::PhasePlan& plan, const ProgressCallback& progress, Progress& told,
            const CancelToken& cancel)
      : runner_(runner),
        plan_(plan),
        progress_(progress),
        told_(told),
        cancel_(cancel),
        logits_(runner.vocabulary()) {}

  // Builds what is built at first use, then keeps a fast device busy until it has raised its clock.
  Status warmUp(std::chrono::milliseconds time) {
    const uint32_t rows = std::min({warmUpRows, runner_.maxBatchRows(), runner_.capacityTokens()});
    const auto begin = std::chrono::steady_clock::now();
    ORTHROS_TRY(runSame(Phase::prefill, rows));
    while (std::chrono::steady_clock::now() - begin < time) {
      runner_.truncate(0);
      ORTHROS_TRY(runSame(Phase::prefill, std::min(runner_.maxBatchRows(), runner_.capacityTokens())));
    }
    runner_.truncate(std::min(runner_.length(), runner_.capacityTokens() - 1));
    ORTHROS_TRY(checkLogits());
    if (rows < runner_.capacityTokens()) {
      ORTHROS_TRY(runSame(Phase::decode, 1));
      ORTHROS_TRY(checkLogits());
    }
    return {};
  }

  Result<BenchRow> measure(const BenchTest& test, uint32_t repeats) {
    BenchRow row{.plan = plan_.name, .test = test, .samples = {}, .tokensPerSecond = {}};
    double totalSeconds = 0;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
      ORTHROS_TRY(placeAt(test.depth));
      ORTHROS_TRY(runner_.reserve(test.tokens));  // as an answer does it before it reads its prompt
      const auto begin = std::chrono::steady_clock::now();
      counts_ = {};
      ORTHROS_TRY(run(test));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      totalSeconds += seconds.count();
      ORTHROS_TRY(checkLogits());
      row.samples.push_back(test.tokens / std::max(seconds.count(), 1e-9));
      tell(test.tokens);
    }
    row.tokensPerSecond = meanAndDeviation(row.samples);
    const double meanSeconds = std::max(totalSeconds / repeats, 1e-9);
    row.flopPerSecond = static_cast<double>(counts_.flop) / meanSeconds;
    row.bytesPerSecond = static_cast<double>(counts_.bytes) / meanSeconds;
    return row;
  }

 private:
  // Leaves `depth` prefill rows in the cache. Tests come in order of depth, so rows are only ever added.
  Status placeAt(uint32_t depth) {
    runner_.truncate(std::min(depth, depthRows_));
    while (runner_.length() < depth) {
      ORTHROS_TRY(runSame(Phase::prefill, std::min(runner_.maxBatchRows(), depth - runner_.length())));
    }
    depthRows_ = depth;
    return {};
  }

  Status run(const BenchTest& test) {
    if (test.kind == BenchKind::decode) {
      return generate(test.tokens);
    }
    phase::PhaseSpans spans;
    if (test.kind == BenchKind::prompt) {
      spans.appendSegment(plan_, test.tokens);
    } else {
      spans.append({0, test.depth + test.tokens, Phase::prefill});
    }
    for (const session::BatchCut& batch :
         session::cutBatches(plan_, spans, test.depth, runner_.maxBatchRows())) {
      std::vector<Phase> phases(batch.rows);
      for (uint32_t row = 0; row < batch.rows; ++row) phases[row] = spans.phaseOf(batch.begin + row);
      const bool last = batch.begin + batch.rows == spans.length();
      ORTHROS_TRY(runBatch(phases, last, !last));
    }
    return {};
  }

  // As a greedy answer runs.
  Status generate(uint32_t rows) {
    std::vector<text::TokenId> chosen;
    auto token = static_cast<text::TokenId>(random_.next() % runner_.vocabulary());
    while (rows > 0) {
      ORTHROS_TRY(cancel_.check("bench"));
      chosen.resize(std::min(rows, runner_.maxGeneratedRows()));
      const auto reports = runner_.generate(token, chosen, cancel_);
      if (!reports) return fail(reports.error());
      for (const session::RowReport& report : *reports) count(report);
      token = chosen.back();
      rows -= static_cast<uint32_t>(chosen.size());
    }
    return {};
  }

  Status runSame(Phase phase, uint32_t rows) { return runBatch(std::vector<Phase>(rows, phase), true); }

  Status runBatch(const std::vector<Phase>& phases, bool wantLogits, bool more = false) {
    ORTHROS_TRY(cancel_.check("bench"));
    std::vector<text::TokenId> tokens(phases.size());
    for (text::TokenId& token : tokens)
      token = static_cast<text::TokenId>(random_.next() % runner_.vocabulary());
    const std::span<float> target = wantLogits ? std::span<float>(logits_) : std::span<float>();
    const auto report = runner_.run({tokens, phases, wantLogits ? 1u : 0u, more}, target, cancel_);
    if (!report) return fail(report.error());
    count(*report);
    return {};
  }

  void count(const session::RowReport& report) {
    counts_.flop += report.counts.flop;
    counts_.bytes += report.counts.bytes;
  }

  Status checkLogits() const {
    const bool finite =
        std::all_of(logits_.begin(), logits_.end(), [](float logit) { return std::isfinite(logit); });
    if (finite) return {};
    return fail(ErrorCode::internal, "logits under plan " + plan_.name,
                "are not finite, so no time was taken", "Run `orthros-cli selftest` to check this device");
  }

  void tell(uint32_t rows) {
    told_.done += rows;
    if (progress_) progress_(told_);
  }

  RowRunner& runner_;
  const phase::PhasePlan& plan_;
  const ProgressCallback& progress_;
  Progress& told_;
  const CancelToken& cancel_;
  std::vector<float> logits_;
  session::EventCounts counts_;  // of the repeat that is timed
  uint32_t depthRows_ = 0;       // prefill rows at the front of the cache
  session::Random random_{1};
};

}  // namespace

std::string BenchTest::name() const {
  const char* kindName = kind == BenchKind::prefill ? "pp" : kind == BenchKind::decode ? "tg" : "prompt ";
  return kindName + std::to_string(tokens) + (depth > 0 ? " @ d" + std::to_string(depth) : std::string());
}

uint32_t longestTest(const BenchSettings& settings) {
  uint32_t longest = 1;
  for (const BenchTest& test : testsOf(settings)) longest = std::max(longest, test.depth + test.tokens);
  return longest;
}

Result<BenchReport> runBench(const NewRunner& newRunner, const BenchSettings& settings,
                             const ProgressCallback& progress, const CancelToken& cancel) {
  ORTHROS_TRY(check(settings));
  const std::vector<BenchTest> tests = testsOf(settings);
  Progress told{.stage = "bench"};
  for (const BenchTest& test : tests)
    told.total += uint64_t{test.tokens} * settings.repeats * settings.plans.size();
  BenchReport report;
  for (const phase::PhasePlan& plan : settings.plans) {
    ORTHROS_ASSIGN(const auto runner, newRunner(plan, longestTest(settings)));
    PlanBench bench(*runner, plan, progress, told, cancel);
    ORTHROS_TRY(bench.warmUp(settings.warmUp));
    for (const BenchTest& test : tests) {
      ORTHROS_ASSIGN(BenchRow row, bench.measure(test, settings.repeats));
      report.rows.push_back(std::move(row));
    }
  }
  report.speedUps = speedUps(report.rows);
  return report;
}

std::vector<BenchSpeedUp> speedUps(const std::vector<BenchRow>& rows) {
  std::vector<BenchSpeedUp> factors;
  if (rows.empty()) return factors;
  const bool hasVanilla =
      std::any_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.plan == "vanilla"; });
  const std::string against = hasVanilla ? "vanilla" : rows.front().plan;
  for (const BenchRow& row : rows) {
    if (row.plan == against) continue;
    const auto base = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& other) {
      return other.plan == against && other.test == row.test;
    });
    if (base == rows.end()) continue;
    factors.push_back({row.plan, against, row.test, ratio(row.tokensPerSecond, base->tokensPerSecond)});
  }
  return factors;
}

}  // namespace orthros::evaluate
