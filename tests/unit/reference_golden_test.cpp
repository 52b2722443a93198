// The reference itself against figures of other programs, on the real model where it is present.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.hpp"
#include "engine/base/paths.hpp"
#include "engine/phase/presets.hpp"
#include "engine/reference/model.hpp"
#include "engine/reference/operations.hpp"

namespace orthros::reference {
namespace {

using nlohmann::json;

class ReferenceGolden : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto folder = cacheFolder();
    if (!folder) return;
    const auto path = *folder / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf";
    if (!std::filesystem::exists(path)) return;
    const auto file = gguf::File::open(path);
    ASSERT_TRUE(file) << file.error().message();
    const auto spec = model::readSpec(*file);
    ASSERT_TRUE(spec) << spec.error().message();
    auto weights = loadWeights(*file, *spec);
    ASSERT_TRUE(weights) << weights.error().message();
    model_ = std::make_unique<ReferenceModel>(*spec, std::move(*weights));
  }
  static void TearDownTestSuite() { model_.reset(); }

  void SetUp() override {
    if (!model_) GTEST_SKIP() << "the default model is not in the cache folder";
  }

  static json promptNamed(const std::string& name) {
    const auto text =
        readFile(std::filesystem::path(ORTHROS_TEST_DATA) / "golden/smollm2-135m.json", 1 << 24);
    EXPECT_TRUE(text);
    const json golden = json::parse(*text);
    for (const json& prompt : golden.at("prompts")) {
      if (prompt.at("name") == name) return prompt;
    }
    ADD_FAILURE() << name << " is not in the golden file";
    return {};
  }

  void expectGolden(const std::string& name) const {
    const json prompt = promptNamed(name);
    const auto ids = prompt.at("ids").get<std::vector<uint32_t>>();
    const std::vector<phase::Phase> phases(ids.size(), phase::Phase::decode);
    const auto plan = *phase::preset("vanilla", model_->spec().layers);
    const auto logits = model_->logits({ids, phases, ids.size()}, plan);
    ASSERT_TRUE(logits) << logits.error().message();
    expectFigures(prompt.at("f32"), ids, *logits);
  }

  void expectFigures(const json& expected, const std::vector<uint32_t>& ids,
                     const std::vector<double>& logits) const {
    const size_t vocabulary = model_->spec().vocabulary;
    const auto row = [&](size_t index) { return std::span(logits).subspan(index * vocabulary, vocabulary); };
    const auto last = row(ids.size() - 1);
    for (const json& entry : expected.at("top10")) {
      EXPECT_NEAR(last[entry.at(0).get<size_t>()], entry.at(1).get<double>(), 0.01);
    }
    const auto best = std::max_element(last.begin(), last.end()) - last.begin();
    EXPECT_EQ(best, expected.at("top10").at(0).at(0).get<long>());
    EXPECT_NEAR(logSumExp(last), expected.at("logsumexp").get<double>(), 0.01);
    double nll = 0.0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) nll += negativeLogLikelihood(row(i), ids[i + 1]);
    EXPECT_NEAR(nll / static_cast<double>(ids.size() - 1), expected.at("mean_nll").get<double>(), 0.001);
  }

  static std::unique_ptr<ReferenceModel> model_;
};

std::unique_ptr<ReferenceModel> ReferenceGolden::model_;

TEST_F(ReferenceGolden, FiveWords) {
  expectGolden("raw-5");
}
TEST_F(ReferenceGolden, Code) {
  expectGolden("raw-code");
}

}  // namespace
}  // namespace orthros::reference
