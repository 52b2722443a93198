#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "engine/base/paths.hpp"
#include "engine/model/spec.hpp"
#include "tests/unit/model_spec_support.hpp"

namespace orthros::model {
namespace {

using test::EditableFile;

Result<ModelSpec> specOf(const EditableFile& edited) {
  const auto bytes = edited.bytes();
  ORTHROS_ASSIGN(const gguf::File file, gguf::File::parse(bytes, "edited.gguf"));
  return readSpec(file);
}

gguf::Value u32(uint32_t value) {
  return value;
}
gguf::Value u32s(std::vector<uint32_t> values) {
  return gguf::Array(std::move(values));
}

TEST(ModelSpec, AllFieldsOfALlama) {
  const auto spec = specOf(EditableFile::model({.layers = 3,
                                                .width = 96,
                                                .heads = 6,
                                                .kvHeads = 2,
                                                .headSize = 32,
                                                .feedForward = 160,
                                                .vocabulary = 300,
                                                .context = 777,
                                                .embeddingFormat = {},
                                                .ropeBase = 5e4f}));
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->architecture, "llama");
  EXPECT_EQ(spec->name, "Generated, random weights");
  EXPECT_EQ(spec->layers, 3u);
  EXPECT_EQ(spec->width, 96u);
  EXPECT_EQ(spec->heads, 6u);
  EXPECT_EQ(spec->kvHeads, 2u);
  EXPECT_EQ(spec->group(), 3u);
  EXPECT_EQ(spec->headSize, 32u) << "explicit, not width / heads";
  EXPECT_EQ(spec->feedForward, 160u);
  EXPECT_EQ(spec->vocabulary, 300u);
  EXPECT_EQ(spec->contextTokens, 777u);
  EXPECT_FLOAT_EQ(spec->normEpsilon, 1e-5f);
  EXPECT_FLOAT_EQ(spec->attentionScale, 1.f / std::sqrt(32.f));
  EXPECT_TRUE(spec->tiedOutput);
  EXPECT_FALSE(spec->qkvBias);
  EXPECT_EQ(spec->rope.layout, RopeLayout::interleaved);
  EXPECT_EQ(spec->rope.dimensions, 32u);
  EXPECT_FLOAT_EQ(spec->rope.base, 5e4f);
  EXPECT_TRUE(spec->rope.factors.empty());
}

TEST(ModelSpec, DefaultsOfKeysThatAreMissing) {
  EditableFile file = EditableFile::model({.layers = 1,
                                           .width = 64,
                                           .heads = 2,
                                           .kvHeads = 2,
                                           .headSize = 32,
                                           .embeddingFormat = {},
                                           .tokenizer = false});
  for (const char* key : {"general.type", "general.name", "llama.attention.head_count_kv",
                          "llama.attention.key_length", "llama.attention.value_length",
                          "llama.rope.dimension_count", "llama.rope.freq_base", "llama.vocab_size"})
    file.removeKey(key);
  const auto spec = specOf(file);
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->name, "");
  EXPECT_EQ(spec->kvHeads, 2u);
  EXPECT_EQ(spec->headSize, 32u);
  EXPECT_EQ(spec->rope.dimensions, 32u);
  EXPECT_EQ(spec->rope.base, 10000.f);
  EXPECT_EQ(spec->rope.scale, 1.f);
  EXPECT_EQ(spec->rope.attentionScale, 1.f);
  EXPECT_EQ(spec->vocabulary, 320u);
}

TEST(ModelSpec, EveryRequiredKeyIsNamedWhereItIsMissing) {
  for (const char* key :
       {"general.architecture", "llama.block_count", "llama.context_length", "llama.embedding_length",
        "llama.feed_forward_length", "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"})
    EXPECT_FAILS(specOf(EditableFile::model().removeKey(key)), ErrorCode::notFound, key);
}

TEST(ModelSpec, WrongTypesAndValuesNameTheirKey) {
  const std::pair<const char*, gguf::Value> wrong[] = {
      {"general.architecture", u32(1)},
      {"llama.block_count", std::string("2")},
      {"llama.block_count", u32(0)},
      {"llama.block_count", u32(UINT32_MAX)},
      {"llama.context_length", u32(0)},
      {"llama.context_length", 4096.f},
      {"llama.embedding_length", int32_t{-128}},
      {"llama.embedding_length", uint64_t{1} << 40},
      {"llama.feed_forward_length", true},
      {"llama.attention.head_count", u32(0)},
      {"llama.attention.head_count_kv", u32(3)},
      {"llama.attention.head_count_kv", u32(0)},
      {"llama.attention.key_length", u32(0)},
      {"llama.attention.layer_norm_rms_epsilon", u32(1)},
      {"llama.attention.layer_norm_rms_epsilon", std::numeric_limits<float>::quiet_NaN()},
      {"llama.attention.scale", -1.f},
      {"llama.rope.dimension_count", u32(31)},
      {"llama.rope.dimension_count", u32(34)},
      {"llama.rope.dimension_count", u32(0)},
      {"llama.rope.freq_base", 0.f},
      {"llama.rope.freq_base", std::numeric_limits<float>::infinity()},
      {"llama.rope.freq_base", std::string("big")},
  };
  for (const auto& [key, value] : wrong) {
    SCOPED_TRACE(std::string(key) + " = " + gguf::toText(value));
    EXPECT_FAILS(specOf(EditableFile::model().set(key, value)), ErrorCode::malformed, key);
  }
}

TEST(ModelSpec, HeadsMustDivideTheWidthUnlessTheirSizeIsGiven) {
  EditableFile file =
      EditableFile::model({.width = 96, .heads = 5, .kvHeads = 1, .headSize = 32, .embeddingFormat = {}});
  EXPECT_TRUE(specOf(file));
  file.removeKey("llama.attention.key_length").removeKey("llama.attention.value_length");
  EXPECT_FAILS(specOf(file), ErrorCode::malformed, "llama.attention.head_count");
}

TEST(ModelSpec, KeyAndValueLengthMustBeEqual) {
  EXPECT_FAILS(specOf(EditableFile::model().set("llama.attention.value_length", u32(64))),
               ErrorCode::unsupported, "llama.attention.value_length");
}

TEST(ModelSpec, PerLayerNumbersMustBeEqualAndComplete) {
  for (const char* key :
       {"llama.attention.head_count", "llama.attention.head_count_kv", "llama.feed_forward_length"}) {
    const uint32_t value = std::string(key) == "llama.feed_forward_length" ? 256
                           : std::string(key).back() == 'v'                ? 2
                                                                           : 4;
    EXPECT_TRUE(specOf(EditableFile::model().set(key, u32s({value, value}))));
    EXPECT_FAILS(specOf(EditableFile::model().set(key, u32s({value}))), ErrorCode::malformed, key);
    EXPECT_FAILS(specOf(EditableFile::model().set(key, u32s({}))), ErrorCode::malformed, key);
    EXPECT_FAILS(specOf(EditableFile::model().set(key, u32s({value, 1}))), ErrorCode::unsupported, key);
    EXPECT_FAILS(specOf(EditableFile::model().set(key, u32s({0, 0}))), ErrorCode::malformed, key);
  }
}

TEST(ModelSpec, WhatThisProgramCannotRunIsRefusedByName) {
  EXPECT_FAILS(specOf(EditableFile::model().set("general.architecture", std::string("gpt2"))),
               ErrorCode::unsupported, "is gpt2");
  EXPECT_FAILS(specOf(EditableFile::model().set("general.architecture", std::string("gpt2"))),
               ErrorCode::unsupported, "llama");
  EXPECT_FAILS(specOf(EditableFile::model().set("llama.expert_count", u32(8))), ErrorCode::unsupported,
               "llama.expert_count");
  EXPECT_FAILS(specOf(EditableFile::model().set("llama.attention.causal", false)), ErrorCode::unsupported,
               "llama.attention.causal");
  EXPECT_FAILS(specOf(EditableFile::model().set("general.type", std::string("adapter"))),
               ErrorCode::invalidArgument, "adapter");
}

TEST(ModelSpec, ATensorThatWouldBeIgnoredIsRefused) {
  for (const char* name : {"blk.0.attn_q_norm.weight", "blk.1.ffn_gate_inp.weight", "blk.2.attn_q.weight",
                           "rope_factors_long.weight", "output.bias"})
    EXPECT_FAILS(specOf(EditableFile::model().zeroTensor(name, {32})), ErrorCode::unsupported, name);
}

TEST(ModelSpec, EveryTensorIsNamedWhereItIsMissing) {
  for (const char* name :
       {"token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight", "blk.0.attn_q.weight",
        "blk.1.attn_k.weight", "blk.0.attn_v.weight", "blk.1.attn_output.weight", "blk.0.ffn_norm.weight",
        "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.1.ffn_down.weight"})
    EXPECT_FAILS(specOf(EditableFile::model().removeTensor(name)), ErrorCode::notFound, name);
}

TEST(ModelSpec, EveryShapeIsChecked) {
  const std::pair<const char*, std::vector<uint64_t>> wrong[] = {
      {"token_embd.weight", {64, 320}},      {"token_embd.weight", {128}},
      {"output_norm.weight", {64}},          {"output_norm.weight", {128, 2}},
      {"output.weight", {128, 319}},         {"blk.0.attn_norm.weight", {127}},
      {"blk.0.attn_q.weight", {128, 64}},    {"blk.0.attn_k.weight", {128, 128}},
      {"blk.1.attn_v.weight", {64, 128}},    {"blk.0.attn_output.weight", {96, 128}},
      {"blk.1.ffn_gate.weight", {128, 255}}, {"blk.0.ffn_up.weight", {256, 128}},
      {"blk.0.ffn_down.weight", {128, 256}}, {"blk.0.ffn_norm.weight", {129}},
      {"rope_freqs.weight", {15}},
  };
  for (const auto& [name, shape] : wrong) {
    SCOPED_TRACE(name);
    EXPECT_FAILS(specOf(EditableFile::model().zeroTensor(name, shape)), ErrorCode::malformed, name);
  }
}

TEST(ModelSpec, OutputMayBeItsOwnMatrix) {
  const auto spec = specOf(EditableFile::model({.embeddingFormat = {}, .tied = false}));
  ASSERT_TRUE(spec);
  EXPECT_FALSE(spec->tiedOutput);
}

TEST(ModelSpec, BiasesAreAllThereOrNone) {
  const SynthOptions options{.embeddingFormat = {}, .qkvBias = true};
  const auto spec = specOf(EditableFile::model(options));
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->qkvBias);
  EXPECT_FAILS(specOf(EditableFile::model(options).removeTensor("blk.1.attn_v.bias")), ErrorCode::malformed,
               "blk.1.attn_v.bias");
  EXPECT_FAILS(specOf(EditableFile::model().zeroTensor("blk.1.attn_q.bias", {128})), ErrorCode::malformed,
               "blk.0.attn_q.bias");
  EXPECT_FAILS(specOf(EditableFile::model(options).zeroTensor("blk.0.attn_k.bias", {63})),
               ErrorCode::malformed, "blk.0.attn_k.bias");
}

TEST(ModelSpec, VocabularyAndEmbeddingMustAgree) {
  const gguf::Value tokens = gguf::Array(std::vector<std::string>(319, "x"));
  EXPECT_FAILS(specOf(EditableFile::model().set("tokenizer.ggml.tokens", tokens)), ErrorCode::malformed,
               "tokenizer.ggml.tokens");
  EXPECT_FAILS(specOf(EditableFile::model().set("tokenizer.ggml.tokens", u32s({1}))), ErrorCode::malformed,
               "tokenizer.ggml.tokens");
  EXPECT_FAILS(
      specOf(
          EditableFile::model({.embeddingFormat = {}, .tokenizer = false}).set("llama.vocab_size", u32(321))),
      ErrorCode::malformed, "llama.vocab_size");
}

TEST(ModelSpec, AttentionScaleOfTheFileIsTaken) {
  EXPECT_FLOAT_EQ(specOf(EditableFile::model().set("llama.attention.scale", 0.25f))->attentionScale, 0.25f);
}

TEST(ModelSpec, LayerTensorNames) {
  EXPECT_EQ(layerTensor(0, "attn_q"), "blk.0.attn_q.weight");
  EXPECT_EQ(layerTensor(12, "ffn_down"), "blk.12.ffn_down.weight");
}

TEST(ModelSpec, VocabularyFilesAreNoModels) {
  const std::filesystem::path path =
      std::filesystem::path(ORTHROS_SHARED_FOLDER) / "tokenizers/ggml-vocab-llama-spm.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  EXPECT_FAILS(readSpec(*gguf::File::open(path)), ErrorCode::notFound, "token_embd.weight");
}

TEST(ModelSpec, TheDefaultModel) {
  const auto cache = cacheFolder();
  const auto path = cache.value_or(".") / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!cache || !std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const auto file = gguf::File::open(path);
  ASSERT_TRUE(file) << file.error().message();
  const auto spec = readSpec(*file);
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->layers, 30u);
  EXPECT_EQ(spec->width, 576u);
  EXPECT_EQ(spec->heads, 9u);
  EXPECT_EQ(spec->kvHeads, 3u);
  EXPECT_EQ(spec->headSize, 64u);
  EXPECT_EQ(spec->feedForward, 1536u);
  EXPECT_EQ(spec->vocabulary, 49152u);
  EXPECT_EQ(spec->contextTokens, 8192u);
  EXPECT_EQ(spec->rope.base, 100000.f);
  EXPECT_TRUE(spec->tiedOutput);
}

}  // namespace
}  // namespace orthros::model
