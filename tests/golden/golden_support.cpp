#include "tests/golden/golden_support.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "engine/base/paths.hpp"
#include "engine/evaluate/score.hpp"
#include "engine/session/set_up.hpp"

namespace orthros::golden {
namespace {

using nlohmann::json;

// A changed adapter in the folder for temporary files, one per process, removed at its end.
class ChangedAdapter {
 public:
  ChangedAdapter()
      : path_(std::filesystem::temp_directory_path() /
              ("orthros-golden-adapter-" + std::to_string(std::random_device()()))) {}
  ~ChangedAdapter() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::filesystem::path adapterWithoutFactors(const std::filesystem::path& adapter) {
  static const ChangedAdapter changed;
  if (!std::filesystem::exists(changed.path())) {
    const Status copied = evaluate::copyWithoutRopeFactors(adapter, changed.path());
    EXPECT_TRUE(copied) << copied.error().message();
  }
  return changed.path();
}

session::SetUp setUpFor(const evaluate::GoldenCase& golden, Precision precision) {
  auto setUp = golden.adapter ? session::defaultSetUp() : session::baselineSetUp();
  if (!setUp) {
    ADD_FAILURE() << setUp.error().message();
    return {};
  }
  if (golden.adapter && !golden.ropeFactors) setUp->adapter = adapterWithoutFactors(*setUp->adapter);
  setUp->plan.clear();
  setUp->weights = precision.weights;
  setUp->kv = precision.kv;
  return *setUp;
}

// Keeps the model last asked for loaded, since cases of one set-up follow each other. An environment, because
// device and model have to go before the driver's own static objects do.
class LoadedModel : public testing::Environment {
 public:
  std::shared_ptr<session::OpenedModel> open(const session::SetUp& setUp) {
    if (model_ && last_ == setUp) return model_;
    model_.reset();
    if (!devices_) devices_.emplace();
    auto opened = session::OpenedModel::open(setUp, *devices_, std::make_shared<session::SpeedBook>(),
                                             {.tracing = false, .probe = false}, {}, {});
    if (!opened) {
      ADD_FAILURE() << opened.error().message();
      return nullptr;
    }
    last_ = setUp;
    model_ = *opened;
    return model_;
  }

  void TearDown() override {
    model_.reset();
    devices_.reset();
  }

 private:
  std::optional<session::DevicePool> devices_;
  session::SetUp last_;
  std::shared_ptr<session::OpenedModel> model_;
};

auto* const loadedModel = static_cast<LoadedModel*>(testing::AddGlobalTestEnvironment(new LoadedModel));

// The prompt followed by the reference's greedy tokens, but for the last, as answer rows.
session::Layout withForced(const evaluate::GoldenCase& golden, const Reference& reference) {
  session::Layout layout = golden.layout();
  if (reference.greedy.size() < 2) return layout;
  const uint32_t rows = layout.rows();
  layout.tokens.insert(layout.tokens.end(), reference.greedy.begin(), reference.greedy.end() - 1);
  layout.spans.append({rows, layout.rows(), phase::Phase::decode});
  return layout;
}

// Adds up likelihoods and picks likeliest tokens while logits come in.
class Gatherer {
 public:
  Gatherer(const evaluate::GoldenCase& golden, size_t vocabulary)
      : golden_(golden), vocabulary_(vocabulary) {}

  Status take(uint32_t firstRow, std::span<const float> logits) {
    for (uint32_t i = 0; i < logits.size() / vocabulary_; ++i) {
      takeRow(firstRow + i, logits.subspan(i * vocabulary_, vocabulary_));
    }
    return {};
  }

  Measured finish() {
    measured_.meanNll = sum_ / static_cast<double>(golden_.ids.size() - 1);
    if (decodeRows_ > 0) measured_.meanNllDecodeRows = decodeSum_ / static_cast<double>(decodeRows_);
    return std::move(measured_);
  }

 private:
  void takeRow(uint32_t row, std::span<const float> logits) {
    const size_t promptRows = golden_.ids.size();
    if (row + 1 >= promptRows) {
      measured_.forced.push_back(evaluate::topLogits(logits, 1).at(0).first);
      if (row + 1 > promptRows) return;
      measured_.lastRow.assign(logits.begin(), logits.end());
      measured_.logsumexp = evaluate::logSumExp(logits);
      return;
    }
    const double nll = evaluate::logSumExp(logits) - static_cast<double>(logits[golden_.ids[row + 1]]);
    sum_ += nll;
    if (golden_.spans.phaseOf(row) != phase::Phase::decode) return;
    decodeSum_ += nll;
    ++decodeRows_;
  }

  const evaluate::GoldenCase& golden_;
  size_t vocabulary_;
  Measured measured_;
  double sum_ = 0.0, decodeSum_ = 0.0;
  uint64_t decodeRows_ = 0;
};

}  // namespace

nlohmann::json caseNamed(const char* file, const char* list, const std::string& name) {
  std::ifstream stream(std::string(ORTHROS_TEST_DATA) + "/golden/" + file);
  const json root = json::parse(stream, nullptr, false);
  if (root.is_object() && root.contains(list)) {
    for (const json& one : root[list]) {
      if (one.value("name", std::string()) == name) return one;
    }
  }
  ADD_FAILURE() << file << " has no case " << name;
  return {};
}

Reference referenceFrom(const json& figures) {
  Reference reference;
  for (const json& entry : figures.at("top10")) reference.top.emplace_back(entry[0], entry[1]);
  reference.logsumexp = figures.at("logsumexp");
  reference.meanNll = figures.at("mean_nll");
  if (figures.contains("mean_nll_decode_rows"))
    reference.meanNllDecodeRows = figures["mean_nll_decode_rows"].get<double>();
  reference.greedy = figures.at("greedy").get<std::vector<uint32_t>>();
  reference.margin = figures.at("margin").get<std::vector<double>>();
  return reference;
}

std::string whyNotRun() {
  const auto setUp = session::defaultSetUp();
  if (!setUp) return setUp.error().message();
  session::DevicePool devices;
  const auto list = devices.list();
  if (!list) return list.error().message();
  return {};
}

std::optional<Measured> measure(const evaluate::GoldenCase& golden, const Reference& reference,
                                Precision precision) {
  const session::Layout layout = withForced(golden, reference);
  const auto opened = loadedModel->open(setUpFor(golden, precision));
  if (!opened) return {};
  auto session = opened->newSession(golden.plan(opened->deviceModel().spec().layers));
  if (!session) {
    ADD_FAILURE() << session.error().message();
    return {};
  }
  Gatherer gatherer(golden, (*session)->runner().vocabulary());
  const auto receive = [&](uint32_t row, std::span<const float> logits) {
    return gatherer.take(row, logits);
  };
  const Status read = (*session)->read(layout, 0, receive, {}, {});
  EXPECT_TRUE(read) << read.error().message();
  if (!read) return {};
  Measured measured = gatherer.finish();
  const session::GenerateOptions options{.maxTokens = static_cast<uint32_t>(reference.greedy.size()),
                                         .stopAtEnd = false};
  const auto answer = (*session)->answer(golden.layout(), options, {}, {});
  EXPECT_TRUE(answer) << answer.error().message();
  if (!answer) return {};
  measured.greedy = answer->tokens;
  return measured;
}

void expectMet(const Measured& measured, const Reference& reference, const Tolerance& tolerance) {
  for (size_t i = 0; i < 5; ++i) {
    const auto [token, logit] = reference.top[i];
    EXPECT_NEAR(measured.lastRow[token], logit, tolerance.logit) << "token " << token << ", number " << i + 1;
  }
  EXPECT_NEAR(measured.meanNll, reference.meanNll, tolerance.nllShare * reference.meanNll);
  if (reference.meanNllDecodeRows) {
    EXPECT_NEAR(measured.meanNllDecodeRows, *reference.meanNllDecodeRows,
                tolerance.nllShare * *reference.meanNllDecodeRows);
  }
  ASSERT_EQ(measured.forced.size(), reference.greedy.size());
  ASSERT_EQ(measured.greedy.size(), reference.greedy.size());
  bool decidedSoFar = true;
  for (size_t i = 0; i < reference.greedy.size(); ++i) {
    const bool decided = reference.margin[i] > tolerance.decidedMargin;
    decidedSoFar = decidedSoFar && decided;
    if (decided) {
      EXPECT_EQ(measured.forced[i], reference.greedy[i]) << "position " << i << ", forced";
    }
    if (decidedSoFar) {
      EXPECT_EQ(measured.greedy[i], reference.greedy[i]) << "position " << i << ", own text";
    }
  }
}

}  // namespace orthros::golden
