#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "engine/model/spec.hpp"
#include "engine/model/synth.hpp"
#include "engine/model/synth_values.hpp"
#include "tests/unit/model_spec_support.hpp"

namespace orthros::model {
namespace {

using gguf::Format;

uint64_t fnv(const std::vector<std::byte>& bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};

Moments momentsOf(const std::vector<float>& values) {
  Moments moments;
  for (const float value : values) moments.mean += value / static_cast<double>(values.size());
  for (const float value : values) {
    moments.deviation += (value - moments.mean) * (value - moments.mean) / static_cast<double>(values.size());
    moments.largest = std::max(moments.largest, std::abs(static_cast<double>(value)));
  }
  moments.deviation = std::sqrt(moments.deviation);
  return moments;
}

std::vector<float> valuesOf(const gguf::Tensor& tensor) {
  std::vector<float> values(tensor.elements);
  gguf::dequantize(tensor.format, tensor.data, values);
  return values;
}

// A change of these numbers changes every generated model: results that others keep are then worthless.
TEST(Synth, TheSameBytesOnEveryMachine) {
  EXPECT_EQ(fnv(*synthBytes({})), 13412776738836175562u);
  EXPECT_EQ(fnv(*synthBytes({.width = 256,
                             .headSize = 64,
                             .format = Format::q4_k,
                             .embeddingFormat = Format::q6_k,
                             .tied = false,
                             .ropeFreqs = true,
                             .qkvBias = true,
                             .merges = 24,
                             .seed = 7})),
            5016164216497398541u);
  EXPECT_EQ(fnv(*synthAdapterBytes({}, {.keys = {}})), 9660469751443067290u);
}

TEST(Synth, TheSeedChangesWeightsAndNothingElse) {
  const auto one = *synthBytes({.embeddingFormat = {}, .seed = 1}),
             two = *synthBytes({.embeddingFormat = {}, .seed = 2});
  EXPECT_EQ(one.size(), two.size());
  const auto fileOne = *gguf::File::parse(one, "1"), fileTwo = *gguf::File::parse(two, "2");
  EXPECT_EQ(fileOne.metadata(), fileTwo.metadata());
  for (size_t i = 0; i < fileOne.tensors().size(); ++i)
    EXPECT_NE(valuesOf(fileOne.tensors()[i]), valuesOf(fileTwo.tensors()[i])) << fileOne.tensors()[i].name;
}

TEST(Synth, EveryFormatGivesAModelThatReads) {
  for (const Format format :
       {Format::f32, Format::f16, Format::bf16, Format::q4_0, Format::q4_1, Format::q5_0, Format::q5_1,
        Format::q8_0, Format::q4_k, Format::q5_k, Format::q6_k}) {
    const auto bytes = synthBytes({.layers = 1, .width = 256, .format = format, .embeddingFormat = {}});
    ASSERT_TRUE(bytes) << bytes.error().message();
    const auto file = gguf::File::parse(*bytes, "synth.gguf");
    ASSERT_TRUE(file) << file.error().message();
    const auto spec = readSpec(*file);
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_EQ((*file->tensor("blk.0.ffn_up.weight"))->format, format);
  }
}

TEST(Synth, RowsThatAreNoWholeBlocksTakeASmallerFormat) {
  const auto bytes = *synthBytes({.width = 96,
                                  .heads = 3,
                                  .kvHeads = 3,
                                  .headSize = 10,
                                  .feedForward = 256,
                                  .format = Format::q4_k,
                                  .embeddingFormat = {}});
  const auto file = *gguf::File::parse(bytes, "synth.gguf");
  EXPECT_EQ((*file.tensor("blk.0.attn_q.weight"))->format, Format::q5_0);
  EXPECT_EQ((*file.tensor("blk.0.attn_output.weight"))->format, Format::f16);  // rows of 30
  EXPECT_EQ((*file.tensor("blk.0.ffn_down.weight"))->format, Format::q4_k);
  EXPECT_EQ((*file.tensor("token_embd.weight"))->format, Format::q8_0);
  EXPECT_TRUE(readSpec(file));
}

TEST(Synth, WeightsHaveTheirDeviation) {
  const SynthOptions options{.layers = 8,
                             .width = 256,
                             .heads = 4,
                             .kvHeads = 2,
                             .headSize = 64,
                             .feedForward = 512,
                             .format = Format::f32,
                             .embeddingFormat = {}};
  const auto bytes = *synthBytes(options);
  const auto file = *gguf::File::parse(bytes, "synth.gguf");
  const struct {
    const char* name;
    double mean, deviation;
  } expected[] = {{"token_embd.weight", 0, 2 / 16.0},
                  {"blk.3.attn_q.weight", 0, 1 / 16.0},
                  {"blk.7.attn_output.weight", 0, 1 / 64.0},
                  {"blk.0.ffn_down.weight", 0, 1 / std::sqrt(512 * 16.0)},
                  {"blk.5.ffn_norm.weight", 1, 0.05}};
  for (const auto& tensor : expected) {
    const Moments moments = momentsOf(valuesOf(**file.tensor(tensor.name)));
    EXPECT_NEAR(moments.mean, tensor.mean, 0.02 * tensor.deviation + (tensor.mean > 0 ? 0.01 : 0))
        << tensor.name;
    EXPECT_NEAR(moments.deviation / tensor.deviation, 1, tensor.mean > 0 ? 0.15 : 0.01) << tensor.name;
    EXPECT_LE(moments.largest, tensor.mean + 3.5 * tensor.deviation) << tensor.name;
    EXPECT_GE(moments.largest, tensor.mean + 2 * tensor.deviation) << tensor.name;
  }
}

TEST(Synth, AnyPartOfATensorCanBeMadeByItself) {
  std::vector<float> whole(1000), part(100);
  fillRandom(whole, 5, 0, 0.f, 1.f);
  fillRandom(part, 5, 300, 0.f, 1.f);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 300));
  EXPECT_NE(streamOf(1, "a"), streamOf(2, "a"));
  EXPECT_NE(streamOf(1, "a"), streamOf(1, "b"));
}

TEST(Synth, NamedShapesHaveTheParametersOfTheirModels) {
  EXPECT_EQ(synthShapeNames(), (std::vector<std::string>{"tiny", "135m", "1b", "8b"}));
  EXPECT_EQ(parameterCount(*synthShape("135m")), 134'515'008u);  // SmolLM2-135M
  EXPECT_EQ(parameterCount(*synthShape("1b")), 1'235'814'400u);  // Llama-3.2-1B
  EXPECT_EQ(parameterCount(*synthShape("8b")), 8'030'261'248u);  // Llama-3.1-8B
  EXPECT_FAILS(synthShape("70b"), ErrorCode::invalidArgument, "135m");
}

TEST(Synth, BadOptionsAreNamed) {
  const std::pair<const char*, SynthOptions> wrong[] = {
      {"layers", {.layers = 0, .embeddingFormat = {}}},
      {"width", {.width = 0, .embeddingFormat = {}}},
      {"kvHeads", {.heads = 4, .kvHeads = 3, .embeddingFormat = {}}},
      {"headSize", {.headSize = 33, .embeddingFormat = {}}},
      {"vocabulary", {.vocabulary = 258, .embeddingFormat = {}}},
      {"vocabulary", {.vocabulary = 270, .embeddingFormat = {}, .merges = 20}},
      {"merges", {.embeddingFormat = {}, .merges = 25}},
      {"format", {.format = static_cast<Format>(10), .embeddingFormat = {}}},
      {"embeddingFormat", {.embeddingFormat = static_cast<Format>(10)}},
      {"ropeBase", {.embeddingFormat = {}, .ropeBase = 0.f}},
      {"context", {.context = 0, .embeddingFormat = {}}},
  };
  for (const auto& [option, options] : wrong)
    EXPECT_FAILS(synthBytes(options), ErrorCode::invalidArgument, option);
  EXPECT_FAILS(synthAdapterBytes({}, {.rank = 0, .keys = {}}), ErrorCode::invalidArgument, "rank");
}

TEST(Synth, TheTokenizerHoldsEveryByteOnce) {
  const auto bytes = *synthBytes({.vocabulary = 300, .embeddingFormat = {}, .merges = 24});
  const auto file = *gguf::File::parse(bytes, "synth.gguf");
  const auto& tokens = **file.array<std::string>("tokenizer.ggml.tokens");
  const auto& types = **file.array<int32_t>("tokenizer.ggml.token_type");
  const auto& merges = **file.array<std::string>("tokenizer.ggml.merges");
  EXPECT_EQ(tokens.size(), 300u);
  EXPECT_EQ(types.size(), 300u);
  EXPECT_EQ(std::set<std::string>(tokens.begin(), tokens.end()).size(), 300u);
  EXPECT_EQ(tokens['A'], "A");
  EXPECT_EQ(tokens[' '], "\u0120");
  EXPECT_EQ(tokens['\n'], "\u010a");
  EXPECT_EQ(tokens[0xAD], "\u0143");
  EXPECT_EQ(tokens[257], "<|im_start|>");
  EXPECT_EQ(types[257], 3);
  EXPECT_EQ(types[259], 1);
  EXPECT_EQ(types[299], 5);
  ASSERT_EQ(merges.size(), 24u);
  for (size_t i = 0; i < merges.size(); ++i) {
    std::string joined = merges[i];
    joined.erase(joined.find(' '), 1);
    EXPECT_EQ(tokens[259 + i], joined) << "the result of a merge is a token";
  }
}

TEST(Synth, ThePoolFillsTensorsOfAnySize) {
  BlockPool pool;
  std::vector<std::byte> first, second;
  const auto into = [](std::vector<std::byte>& bytes) {
    return [&bytes](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return true;
    };
  };
  const RandomTensor large{Format::q4_0, 5'000'000 / 32 * 32, 0.f, 0.02f, streamOf(1, "first")};
  ASSERT_TRUE(pool.write(large, into(first)));
  RandomTensor other = large;
  other.stream = streamOf(1, "second");
  ASSERT_TRUE(pool.write(other, into(second)));
  EXPECT_EQ(first.size(), gguf::formatBytes(Format::q4_0, large.elements));
  EXPECT_NE(first, second);
  std::vector<float> values(large.elements);
  gguf::dequantize(Format::q4_0, first, values);
  EXPECT_NEAR(momentsOf(values).deviation, 0.02, 0.0005);
  EXPECT_FALSE(pool.write(large, [](std::span<const std::byte>) { return false; }));
}

}  // namespace
}  // namespace orthros::model
