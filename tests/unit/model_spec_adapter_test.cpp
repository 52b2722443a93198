#include <cmath>
#include <filesystem>
#include <list>
#include <thread>

#include <gtest/gtest.h>

#include "engine/base/paths.hpp"
#include "engine/model/adapter.hpp"
#include "tests/unit/model_spec_support.hpp"

namespace orthros::model {
namespace {

// Files whose bytes live as long as the test.
class AdapterTest : public testing::Test {
 protected:
  Adapter adapterOf(const SynthAdapterOptions& options = {}, const SynthOptions& base = {}) {
    images_.push_back(*synthAdapterBytes(base, options));
    auto adapter = Adapter::read(*gguf::File::parse(images_.back(), "adapter.gguf"));
    EXPECT_TRUE(adapter) << adapter.error().message();
    return std::move(*adapter);
  }
  gguf::File modelOf(const SynthOptions& options = {}) {
    images_.push_back(*synthBytes(options));
    return *gguf::File::parse(images_.back(), "model.gguf");
  }
  std::vector<float> values(const gguf::File& file, const std::string& tensorName) {
    const gguf::Tensor& tensor = **file.tensor(tensorName);
    std::vector<float> result(tensor.elements);
    gguf::dequantize(tensor.format, tensor.data, result);
    return result;
  }
  std::list<std::vector<std::byte>> images_;
};

// W + scale B A in double precision, straight from the file's tensors; the embedding's factors are exchanged.
std::vector<double> mergedByDefinition(const gguf::File& adapter, const std::string& name,
                                       const std::vector<float>& weights, uint64_t inputs, double alpha) {
  const auto expand = [&](const std::string& tensorName) {
    const gguf::Tensor& tensor = **adapter.tensor(tensorName);
    std::vector<float> result(tensor.elements);
    gguf::dequantize(tensor.format, tensor.data, result);
    return result;
  };
  const auto a = expand(name + ".lora_a"), b = expand(name + ".lora_b");
  const uint64_t rank = (*adapter.tensor(name + ".lora_b"))->shape[0];
  const bool embedding = name == "token_embd.weight";
  std::vector<double> merged(weights.begin(), weights.end());
  for (uint64_t row = 0; row < merged.size() / inputs; ++row) {
    for (uint64_t i = 0; i < inputs; ++i) {
      double sum = 0;
      for (uint64_t k = 0; k < rank; ++k)
        sum += embedding ? static_cast<double>(a[row * rank + k]) * b[i * rank + k]
                         : static_cast<double>(b[row * rank + k]) * a[k * inputs + i];
      merged[row * inputs + i] += (alpha == 0 ? 1 : alpha / static_cast<double>(rank)) * sum;
    }
  }
  return merged;
}

TEST_F(AdapterTest, MergesEveryTensorAsDefined) {
  for (const uint32_t rank : {1u, 3u, 4u, 9u, 32u}) {
    for (const float alpha : {8.f, 0.f, -3.f}) {
      const Adapter adapter = adapterOf({.rank = rank, .alpha = alpha, .embedding = true, .keys = {}});
      const gguf::File model = modelOf();
      ASSERT_EQ(adapter.changedTensors(), 2u * 7 + 1);
      EXPECT_EQ(adapter.largestRank(), rank);
      for (const char* name :
           {"blk.0.attn_q.weight", "blk.1.attn_v.weight", "blk.0.ffn_down.weight", "token_embd.weight"}) {
        ASSERT_TRUE(adapter.changes(name));
        const gguf::Tensor& tensor = **model.tensor(name);
        const auto original = values(model, name);
        auto merged = original;
        adapter.mergeRows(name, 0, tensor.shape[1], merged);
        const auto expected = mergedByDefinition(adapter.file(), name, original, tensor.shape[0], alpha);
        double largest = 0, change = 0;
        for (size_t i = 0; i < merged.size(); ++i) {
          largest = std::max(largest, std::abs(merged[i] - expected[i]));
          change = std::max(change, std::abs(expected[i] - original[i]));
        }
        EXPECT_LT(largest, 1e-6) << name << " rank " << rank;
        EXPECT_GT(change, 1e-2) << name << ": the change must be far above the tolerance";
      }
    }
  }
}

TEST_F(AdapterTest, AnyCutIntoRowsGivesTheSameBits) {
  const SynthOptions wide{.layers = 1, .width = 1312, .embeddingFormat = {}};  // rows longer than a tile
  const Adapter adapter = adapterOf({.rank = 7, .keys = {}}, wide);
  const gguf::File model = modelOf(wide);
  const std::string name = "blk.0.attn_k.weight";
  const uint64_t rows = (*model.tensor(name))->shape[1], inputs = wide.width;
  auto whole = values(model, name);
  auto cut = whole;
  adapter.mergeRows(name, 0, rows, whole);
  for (uint64_t row = 0, size = 1; row < rows; row += size, size = size % 5 + 1) {
    size = std::min(size, rows - row);
    adapter.mergeRows(name, row, size, std::span(cut).subspan(row * inputs, size * inputs));
  }
  EXPECT_EQ(whole, cut);
}

TEST_F(AdapterTest, MergesConcurrently) {
  const Adapter adapter = adapterOf();
  const gguf::File model = modelOf();
  const std::string name = "blk.0.ffn_up.weight";
  auto expected = values(model, name);
  auto actual = expected;
  adapter.mergeRows(name, 0, 256, expected);
  {
    std::vector<std::jthread> threads;
    for (uint64_t part = 0; part < 4; ++part)
      threads.emplace_back([&, part] {
        adapter.mergeRows(name, 64 * part, 64, std::span(actual).subspan(64 * part * 128, size_t{64} * 128));
      });
  }
  EXPECT_EQ(expected, actual);
}

TEST_F(AdapterTest, OtherTensorsAndRowsOutsideAreLeftAlone) {
  const Adapter adapter = adapterOf();
  EXPECT_FALSE(adapter.changes("token_embd.weight"));
  EXPECT_FALSE(adapter.changes("blk.9.attn_q.weight"));
  std::vector<float> row(128, 1.f);
  const auto untouched = row;
  adapter.mergeRows("token_embd.weight", 0, 1, row);
  adapter.mergeRows("blk.0.attn_q.weight", 128, 1, row);
  adapter.mergeRows("blk.0.attn_q.weight", UINT64_MAX, 1, row);
  adapter.mergeRows("blk.0.attn_q.weight", 0, 2, row);
  EXPECT_EQ(row, untouched);
  adapter.mergeRows("blk.0.attn_q.weight", 127, 1, row);
  EXPECT_NE(row, untouched);
}

TEST_F(AdapterTest, RopeAndContextKeysAreApplied) {
  std::vector<float> factors(16, 1.f);
  factors[15] = 16.f;
  const Adapter adapter = adapterOf({.keys = {{"orthros.rope.factors", gguf::Array(factors)},
                                              {"llama.rope.freq_base", 2e5f},
                                              {"llama.context_length", uint32_t{131072}}}});
  ModelSpec spec = *readSpec(modelOf({.embeddingFormat = {}, .ropeFreqs = true}));
  const ModelSpec before = spec;
  ASSERT_TRUE(adapter.applyTo(spec));
  EXPECT_EQ(spec.rope.factors, factors) << "they take the place of the base's own";
  EXPECT_EQ(spec.rope.base, 2e5f);
  EXPECT_EQ(spec.contextTokens, 131072u);
  EXPECT_EQ(spec.layers, before.layers);
}

TEST_F(AdapterTest, WithoutKeysTheSpecStays) {
  ModelSpec spec = *readSpec(modelOf({.embeddingFormat = {}, .ropeFreqs = true}));
  const ModelSpec before = spec;
  ASSERT_TRUE(adapterOf().applyTo(spec));
  EXPECT_EQ(spec.rope.factors, before.rope.factors);
  EXPECT_EQ(spec.rope.base, before.rope.base);
  EXPECT_EQ(spec.contextTokens, before.contextTokens);
}

TEST_F(AdapterTest, FitsItsBaseAndNoOther) {
  const Adapter adapter = adapterOf();
  EXPECT_TRUE(adapter.checkBase(modelOf()));
  EXPECT_FAILS(adapter.checkBase(modelOf({.layers = 1, .embeddingFormat = {}})), ErrorCode::mismatch,
               "blk.1.");
  EXPECT_FAILS(adapter.checkBase(modelOf({.width = 160, .embeddingFormat = {}})), ErrorCode::mismatch,
               "tensor blk.");
  EXPECT_FAILS(adapter.checkBase(modelOf({.feedForward = 288, .embeddingFormat = {}})), ErrorCode::mismatch,
               "ffn_");
  EXPECT_FAILS(adapter.checkBase(modelOf({.feedForward = 288, .embeddingFormat = {}})), ErrorCode::mismatch,
               "another base model");
  const auto other = test::EditableFile::model().set("general.architecture", std::string("qwen2")).bytes();
  EXPECT_FAILS(adapter.checkBase(*gguf::File::parse(other, "other.gguf")), ErrorCode::mismatch, "qwen2");
}

TEST_F(AdapterTest, SaysHowItWasMade) {
  const Adapter adapter = adapterOf({.keys = {{"orthros.train.base", std::string("a model")},
                                              {"orthros.version", uint32_t{1}},
                                              {"orthros.train.steps", uint32_t{800}}}});
  const std::vector<std::pair<std::string, std::string>> expected = {{"base", "a model"}, {"steps", "800"}};
  EXPECT_EQ(adapter.trainInfo(), expected);
}

TEST_F(AdapterTest, TheShippedAdapterFitsTheDefaultModel) {
  const auto resources = resourcesFolder();
  const auto cache = cacheFolder();
  const auto modelPath = cache.value_or(".") / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  ASSERT_TRUE(resources) << resources.error().message();
  const auto adapter = Adapter::open(*resources / "models/smollm2-135m-orthros-lora.gguf");
  ASSERT_TRUE(adapter) << adapter.error().message();
  EXPECT_EQ(adapter->changedTensors(), 210u);
  EXPECT_EQ(adapter->largestRank(), 32u);
  EXPECT_EQ(adapter->trainInfo().size(), 8u);
  if (!cache || !std::filesystem::exists(modelPath)) GTEST_SKIP() << modelPath << " is not here";
  const auto model = gguf::File::open(modelPath);
  ASSERT_TRUE(model);
  EXPECT_TRUE(adapter->checkBase(*model));
  ModelSpec spec = *readSpec(*model);
  ASSERT_TRUE(adapter->applyTo(spec));
  EXPECT_EQ(spec.contextTokens, 131072u);
  ASSERT_EQ(spec.rope.factors.size(), 32u);
  EXPECT_EQ(spec.rope.factors[16], 1.f);
  EXPECT_EQ(spec.rope.factors[31], 16.f);
  const std::string name = "blk.17.ffn_down.weight";
  auto merged = values(*model, name);
  const auto expected = mergedByDefinition(adapter->file(), name, merged, 1536, 90.5096664428711);
  adapter->mergeRows(name, 0, 576, merged);
  for (size_t i = 0; i < merged.size(); ++i) ASSERT_NEAR(merged[i], expected[i], 1e-6);
}

}  // namespace
}  // namespace orthros::model
