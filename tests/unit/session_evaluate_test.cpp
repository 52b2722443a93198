// engine/evaluate without a device: tables, statistics, scores, the bench's account of rows, golden cases.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/evaluate/bench.hpp"
#include "engine/evaluate/golden_case.hpp"
#include "engine/evaluate/markdown_table.hpp"
#include "engine/evaluate/score.hpp"
#include "engine/phase/presets.hpp"
#include "tests/unit/session_fakes.hpp"

namespace orthros::evaluate {
namespace {

using session::fakes::FakeRunner;

TEST(MarkdownTable, AlignsEscapesAndCountsCharacters) {
  MarkdownTable table({{"plan"}, {"t/s", MarkdownTable::Align::right}});
  table.addRow({"orthros", "1.5 ± 0.1"});
  table.addRow({"a|b"});
  EXPECT_EQ(table.text(),
            "| plan    |       t/s |\n"
            "| ------- | --------: |\n"
            "| orthros | 1.5 ± 0.1 |\n"
            "| a\\|b    |           |\n");
}

TEST(MarkdownTable, FixedIgnoresTheLocale) {
  EXPECT_EQ(fixed(1234.567, 2), "1234.57");
  EXPECT_EQ(fixed(-0.5, 0), "-0");
  EXPECT_EQ(fixed(1e20, 1), "100000000000000000000.0");
}

TEST(Statistics, MeanAndSampleDeviation) {
  const double values[] = {2.0, 4.0, 6.0};
  EXPECT_DOUBLE_EQ(meanAndDeviation(values).mean, 4.0);
  EXPECT_DOUBLE_EQ(meanAndDeviation(values).deviation, 2.0);
  EXPECT_DOUBLE_EQ(meanAndDeviation(std::span(values, 1)).deviation, 0.0);
  EXPECT_DOUBLE_EQ(meanAndDeviation({}).mean, 0.0);
}

TEST(Statistics, RatioCarriesBothDeviations) {
  const MeanAndDeviation factor = ratio({20.0, 2.0}, {10.0, 0.0});
  EXPECT_DOUBLE_EQ(factor.mean, 2.0);
  EXPECT_DOUBLE_EQ(factor.deviation, 0.2);
  EXPECT_NEAR(ratio({20.0, 2.0}, {10.0, 1.0}).deviation, 2.0 * std::sqrt(0.02), 1e-12);
  EXPECT_DOUBLE_EQ(ratio({20.0, 2.0}, {0.0, 0.0}).mean, 0.0);
}

TEST(Scores, TopLogitsAndLogSumExp) {
  const float logits[] = {1.f, 3.f, std::numeric_limits<float>::quiet_NaN(), 3.f, -2.f};
  const auto top = topLogits(logits, 3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].first, 1u);
  EXPECT_EQ(top[1].first, 3u);
  EXPECT_EQ(top[2].first, 0u);
  EXPECT_EQ(topLogits(logits, 99).size(), 4u);
  const float large[] = {1000.f, 1000.f};
  EXPECT_NEAR(logSumExp(large), 1000.0 + std::log(2.0), 1e-9);
}

session::Layout layoutOf(const phase::PhasePlan& plan, uint32_t rows) {
  const session::Segment segment{std::vector<text::TokenId>(rows, 'x'), false};
  return session::layOut(plan, {&segment, 1});
}

TEST(Scores, ScoreMatchesASumByHand) {
  const auto plan = phase::preset("orthros", 2, {.window = 16, .sinks = 2, .tail = 10, .fullMax = 0});
  auto script = std::make_shared<FakeRunner::Script>();
  const auto vocabulary = session::fakes::byteVocabulary();
  const session::Layout text = layoutOf(*plan, 150);
  session::Session session(std::make_unique<FakeRunner>(script), vocabulary, *plan, {});
  const auto scores = score(session, text, 3, {}, {});
  ASSERT_TRUE(scores) << scores.error().message();

  // The same row by row, with batches of one.
  script->maxRows = 1;
  FakeRunner runner(script);
  double sum = 0.0, decodeSum = 0.0;
  std::vector<float> logits(runner.vocabulary());
  for (uint32_t row = 0; row < text.rows(); ++row) {
    const phase::Phase phase = text.spans.phaseOf(row);
    ASSERT_TRUE(runner.run({{&text.tokens[row], 1}, {&phase, 1}, 1}, logits, {}));
    if (row + 1 == text.rows()) break;
    const double nll = logSumExp(logits) - logits['x'];
    sum += nll;
    if (phase == phase::Phase::decode) decodeSum += nll;
  }
  EXPECT_NEAR(scores->meanNll, sum / 149, 1e-9);
  EXPECT_NEAR(scores->meanNllDecodeRows, decodeSum / 9, 1e-9);
  EXPECT_EQ(scores->scoredRows, 149u);
  EXPECT_EQ(scores->scoredDecodeRows, 9u);
  EXPECT_EQ(scores->top, topLogits(logits, 3));
  EXPECT_NEAR(scores->logsumexp, logSumExp(logits), 1e-9);
}

class BenchTestFixture : public ::testing::Test {
 protected:
  NewRunner newRunner() {
    return [this](const phase::PhasePlan&, uint32_t context) -> Result<std::unique_ptr<session::RowRunner>> {
      script_->capacity = context;
      return std::make_unique<FakeRunner>(script_);
    };
  }
  BenchSettings settings() const {
    return {.plans = {*phase::preset("vanilla", 2),
                      *phase::preset("orthros", 2, {.window = 16, .sinks = 2, .tail = 10})},
            .prefill = {100},
            .generate = {3},
            .depths = {70, 0},
            .prompts = {300},
            .repeats = 2};
  }
  std::shared_ptr<FakeRunner::Script> script_ = std::make_shared<FakeRunner::Script>();
};

TEST_F(BenchTestFixture, MeasuresEveryTestOfEveryPlan) {
  std::vector<Progress> told;
  const auto report = runBench(newRunner(), settings(), [&](const Progress& p) { told.push_back(p); }, {});
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->rows.size(), 10u);
  std::vector<std::string> names;
  for (size_t i = 0; i < 5; ++i) names.push_back(report->rows[i].test.name());
  EXPECT_EQ(names, (std::vector<std::string>{"pp100", "tg3", "pp100 @ d70", "tg3 @ d70", "prompt 300"}));
  for (const BenchRow& row : report->rows) {
    EXPECT_EQ(row.samples.size(), 2u);
    EXPECT_GT(row.tokensPerSecond.mean, 0.0);
    // The runner counts 1,000 FLOP and 100 bytes a row.
    EXPECT_NEAR(row.flopPerSecond / row.bytesPerSecond, 10.0, 1e-9);
    EXPECT_GT(row.flopPerSecond, 0.0);
  }
  ASSERT_EQ(report->speedUps.size(), 5u);
  EXPECT_EQ(report->speedUps[0].against, "vanilla");
  EXPECT_EQ(told.back().done, told.back().total);
  EXPECT_EQ(told.back().total, 2u * 2u * (2u * 103u + 300u));
}

TEST_F(BenchTestFixture, EveryTestBeginsAtItsDepth) {
  ASSERT_TRUE(runBench(newRunner(), settings(), {}, {}));
  // Per plan: decode steps are single rows at 0..2 and 70..72, twice, and one in the warm-up at 64.
  std::vector<uint32_t> begins;
  for (const auto& batch : script_->batches) {
    if (batch.rows == 1) begins.push_back(batch.begin);
  }
  begins.resize(begins.size() / 2);
  EXPECT_EQ(begins, (std::vector<uint32_t>{64, 0, 1, 2, 0, 1, 2, 70, 71, 72, 70, 71, 72}));
}

TEST_F(BenchTestFixture, NothingIsTimedOnWrongLogits) {
  struct Broken final : session::RowRunner {
    uint32_t capacityTokens() const override { return 1000; }
    uint32_t length() const override { return 0; }
    uint32_t vocabulary() const override { return 4; }
    uint32_t maxBatchRows() const override { return 64; }
    uint64_t cacheBytes() const override { return 0; }
    void truncate(uint32_t) override {}
    Result<session::RowReport> run(const session::RowBatch&, std::span<float> logits,
                                   const CancelToken&) override {
      std::fill(logits.begin(), logits.end(), std::numeric_limits<float>::quiet_NaN());
      return session::RowReport{};
    }
    Result<std::vector<session::RowReport>> generate(text::TokenId, std::span<text::TokenId>,
                                                     const CancelToken&) override {
      return fail(ErrorCode::internal, "logits", "are not finite");
    }
    uint32_t maxGeneratedRows() const override { return 1; }
    Result<session::RowReport> choose(std::span<const text::TokenId>, std::vector<text::TokenId>&,
                                      const CancelToken&) override {
      return fail(ErrorCode::internal, "logits", "are not finite");
    }
    uint32_t maxChosenRows() const override { return 1; }
    Result<std::unique_ptr<RowRunner>> branch() const override { return std::make_unique<Broken>(); }
  };
  const auto report = runBench(
      [](const phase::PhasePlan&, uint32_t) -> Result<std::unique_ptr<session::RowRunner>> {
        return std::make_unique<Broken>();
      },
      settings(), {}, {});
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message().find("not finite"), std::string::npos);
}

TEST_F(BenchTestFixture, WrongSettingsAreNamed) {
  BenchSettings wrong = settings();
  wrong.prefill = {512, 0};
  EXPECT_EQ(runBench(newRunner(), wrong, {}, {}).error().subject, "prefill length");
  wrong = settings();
  wrong.repeats = 0;
  EXPECT_EQ(runBench(newRunner(), wrong, {}, {}).error().subject, "repeats");
  wrong = settings();
  wrong.plans.clear();
  EXPECT_EQ(runBench(newRunner(), wrong, {}, {}).error().subject, "plans");
}

TEST_F(BenchTestFixture, CancelEndsIt) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(runBench(newRunner(), settings(), {}, cancel).error().code, ErrorCode::cancelled);
}

TEST(BenchReport, MarkdownAndJson) {
  BenchReport report;
  report.rows = {{"vanilla", {BenchKind::prefill, 512, 4096}, {100.0, 102.0}, {101.0, 1.41}},
                 {"orthros", {BenchKind::prefill, 512, 4096}, {300.0, 306.0}, {303.0, 4.24}}};
  report.speedUps = speedUps(report.rows);
  const std::string text = toMarkdown(report, "model", "device");
  EXPECT_NE(text.find("pp512 @ d4096"), std::string::npos);
  EXPECT_NE(text.find("303.00 ± 4.24"), std::string::npos);
  EXPECT_NE(text.find("3.00 ± "), std::string::npos);
  const nlohmann::json json = toJson(report);
  EXPECT_EQ(json["rows"][1]["tokens_per_second"], 303.0);
  EXPECT_EQ(json["rows"][1]["depth"], 4096);
  EXPECT_EQ(json["rows"][1]["kind"], "prefill");
  EXPECT_DOUBLE_EQ(json["speed_up"][0]["factor"].get<double>(), 3.0);
}

TEST(BenchReport, SaysWhatShareOfTheLimitsWasReached) {
  BenchReport report;
  report.rows = {{"vanilla", {BenchKind::prefill, 512, 0}, {100.0}, {100.0, 0.0}, 3e12, 2e11}};
  EXPECT_EQ(toMarkdown(report, "model", "device").find("%"), std::string::npos);
  EXPECT_FALSE(toJson(report).contains("limits"));
  report.limits = {12e12, 4e11};
  const std::string text = toMarkdown(report, "model", "device");
  for (const char* part : {"of 12.000 TFLOP/s", "of 400.0 GB/s", "25.0 %", "50.0 %"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(toJson(report)["limits"]["flop_per_second"], 12e12);
  EXPECT_EQ(toJson(report)["rows"][0]["bytes_per_second"], 2e11);
}

// As a file gives it: numbers read from text are unsigned.
nlohmann::json asFile(const nlohmann::json& written) {
  return nlohmann::json::parse(written.dump());
}

nlohmann::json smallCase() {
  return asFile({{"name", "a"},
                 {"ids", {1, 2, 3}},
                 {"spans", {{0, 2, "P"}, {2, 3, "D"}}},
                 {"window", 2},
                 {"sinks", 1},
                 {"weights", "adapter"},
                 {"rope", "none"}});
}

TEST(GoldenCase, ReadsTheFilesForm) {
  const auto golden = goldenCaseFromJson(smallCase());
  ASSERT_TRUE(golden) << golden.error().message();
  EXPECT_EQ(golden->ids, (std::vector<text::TokenId>{1, 2, 3}));
  EXPECT_EQ(golden->spans.phaseOf(1), phase::Phase::prefill);
  EXPECT_TRUE(golden->adapter);
  EXPECT_FALSE(golden->ropeFactors);
  const phase::PhasePlan plan = golden->plan(5);
  EXPECT_TRUE(phase::validate(plan, 5, 100));
  EXPECT_EQ(plan.prefill[4].window, 2u);
  EXPECT_EQ(plan.decode[4].kind, phase::AttentionKind::full);
}

TEST(GoldenCase, WithoutSpansEveryRowIsFull) {
  const auto golden = goldenCaseFromJson(asFile({{"ids", {5, 6}}}));
  ASSERT_TRUE(golden);
  EXPECT_EQ(golden->spans.rowsOf(phase::Phase::decode), 2u);
  EXPECT_EQ(golden->plan(1).prefill[0].kind, phase::AttentionKind::full);
}

TEST(GoldenCase, DamageIsNamed) {
  const auto subjectAfter = [](const char* key, nlohmann::json value) {
    nlohmann::json damaged = smallCase();
    damaged[key] = std::move(value);
    const auto golden = goldenCaseFromJson(asFile(damaged));
    return golden ? std::string("accepted") : golden.error().subject;
  };
  EXPECT_EQ(subjectAfter("ids", {1, -2, 3}), "case field ids");
  EXPECT_EQ(subjectAfter("ids", nlohmann::json::array()), "case field ids");
  EXPECT_EQ(subjectAfter("ids", {1, 2}), "case field spans");
  EXPECT_EQ(subjectAfter("window", "wide"), "case field window");
  EXPECT_EQ(subjectAfter("weights", "other"), "case field weights");
  nlohmann::json ropeOnly = smallCase();
  ropeOnly["weights"] = "base";
  ropeOnly["rope"] = "adapter";
  EXPECT_EQ(goldenCaseFromJson(ropeOnly).error().subject, "case field rope");
}

TEST(GoldenCase, ChoosesByName) {
  nlohmann::json second = smallCase();
  second["name"] = "b";
  const nlohmann::json file = {{"cases", {smallCase(), second}}};
  EXPECT_EQ(chooseCase(file, "b")->name, "b");
  const auto missing = chooseCase(file, "c");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("a, b"), std::string::npos);
  EXPECT_EQ(chooseCase(smallCase(), "")->name, "a");
  EXPECT_EQ(chooseCase({{"cases", {smallCase()}}}, "")->name, "a");
}

}  // namespace
}  // namespace orthros::evaluate
