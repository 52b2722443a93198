// Adapter files that are damaged, of another kind, or made for something else.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "engine/model/adapter.hpp"
#include "tests/unit/model_spec_support.hpp"

namespace orthros::model {
namespace {

using test::EditableFile;

EditableFile sound() {
  return EditableFile(*synthAdapterBytes({}, {.rank = 4, .embedding = true, .keys = {}}));
}

Status readStatus(const EditableFile& edited) {
  const auto bytes = edited.bytes();
  ORTHROS_ASSIGN(gguf::File file, gguf::File::parse(bytes, "adapter.gguf"));
  ORTHROS_ASSIGN(const Adapter adapter, Adapter::read(std::move(file)));
  return {};
}

TEST(AdapterFaults, TheSoundFileIsRead) {
  const Status status = readStatus(sound());
  EXPECT_TRUE(status) << status.error().message();
}

TEST(AdapterFaults, OtherKindsOfFile) {
  EXPECT_FAILS(readStatus(EditableFile::model()), ErrorCode::invalidArgument, "not an adapter");
  EXPECT_FAILS(readStatus(sound().set("general.type", std::string("model"))), ErrorCode::invalidArgument,
               "general.type");
  EXPECT_FAILS(readStatus(sound().removeKey("adapter.type")), ErrorCode::notFound, "adapter.type");
  EXPECT_FAILS(readStatus(sound().set("adapter.type", std::string("ia3"))), ErrorCode::unsupported, "is ia3");
  EXPECT_FAILS(
      readStatus(sound().set("adapter.alora.invocation_tokens", gguf::Array(std::vector<uint32_t>{1}))),
      ErrorCode::unsupported, "adapter.alora.invocation_tokens");
}

TEST(AdapterFaults, KeysOfTheWrongType) {
  EXPECT_FAILS(readStatus(sound().removeKey("adapter.lora.alpha")), ErrorCode::notFound,
               "adapter.lora.alpha");
  EXPECT_FAILS(readStatus(sound().set("adapter.lora.alpha", uint32_t{8})), ErrorCode::malformed,
               "adapter.lora.alpha");
  EXPECT_FAILS(readStatus(sound().set("adapter.lora.alpha", std::nanf(""))), ErrorCode::malformed,
               "adapter.lora.alpha");
  EXPECT_FAILS(readStatus(sound().removeKey("general.architecture")), ErrorCode::notFound,
               "general.architecture");
  EXPECT_FAILS(readStatus(sound().set("general.type", uint32_t{1})), ErrorCode::malformed, "general.type");
}

TEST(AdapterFaults, Tensors) {
  const std::string a = "blk.0.attn_q.weight.lora_a", b = "blk.0.attn_q.weight.lora_b";
  EXPECT_FAILS(readStatus(sound().removeTensor(a)), ErrorCode::malformed, a + ": is missing");
  EXPECT_FAILS(readStatus(sound().removeTensor(b)), ErrorCode::malformed, b + ": is missing");
  EXPECT_FAILS(readStatus(sound().zeroTensor(a, {128, 5})), ErrorCode::malformed, "ranks 5 and 4");
  EXPECT_FAILS(readStatus(sound().zeroTensor(a, {512})), ErrorCode::malformed, "blk.0.attn_q.weight");
  EXPECT_FAILS(readStatus(sound().zeroTensor(b, {4, 128, 1})), ErrorCode::malformed, "not matrices");
  EXPECT_FAILS(readStatus(sound().zeroTensor("blk.0.attn_norm.weight", {128})), ErrorCode::unsupported,
               "blk.0.attn_norm.weight");
  EXPECT_FAILS(readStatus(sound().zeroTensor("token_embd.weight.lora_a", {320, 4})), ErrorCode::malformed,
               "token_embd.weight");
}

TEST(AdapterFaults, AnAdapterWithoutTensors) {
  gguf::Writer writer;
  ASSERT_TRUE(writer.add("general.architecture", std::string("llama")));
  ASSERT_TRUE(writer.add("general.type", std::string("adapter")));
  ASSERT_TRUE(writer.add("adapter.type", std::string("lora")));
  ASSERT_TRUE(writer.add("adapter.lora.alpha", 1.f));
  EXPECT_FAILS(readStatus(EditableFile(*writer.toBytes())), ErrorCode::malformed, "no LoRA tensors");
}

TEST(AdapterFaults, RanksMayDifferBetweenTensors) {
  EditableFile edited = sound();
  edited.zeroTensor("blk.0.attn_q.weight.lora_a", {128, 9})
      .zeroTensor("blk.0.attn_q.weight.lora_b", {9, 128});
  EXPECT_TRUE(readStatus(edited));
}

TEST(AdapterFaults, OverridesThatCannotBeApplied) {
  const auto modelBytes = EditableFile::model().bytes();
  const ModelSpec base = *readSpec(*gguf::File::parse(modelBytes, "model.gguf"));
  std::vector<float> withZero(16, 1.f), withNan(16, 1.f);
  withZero[3] = 0.f;
  withNan[15] = std::nanf("");
  const std::pair<const char*, gguf::Value> wrong[] = {
      {"orthros.rope.factors", gguf::Array(std::vector<float>(15, 1.f))},
      {"orthros.rope.factors", gguf::Array(std::vector<float>{})},
      {"orthros.rope.factors", gguf::Array(withZero)},
      {"orthros.rope.factors", gguf::Array(withNan)},
      {"orthros.rope.factors", gguf::Array(std::vector<uint32_t>(16, 1))},
      {"orthros.rope.factors", 1.f},
      {"llama.rope.freq_base", -1.f},
      {"llama.rope.freq_base", std::numeric_limits<float>::infinity()},
      {"llama.rope.freq_base", std::string("1e5")},
      {"llama.context_length", uint32_t{0}},
      {"llama.context_length", uint64_t{1} << 40},
      {"llama.context_length", 1.f},
  };
  for (const auto& [key, value] : wrong) {
    SCOPED_TRACE(std::string(key) + " = " + gguf::toText(value));
    const auto bytes = sound().set("llama.context_length", uint32_t{99}).set(key, value).bytes();
    const auto adapter = Adapter::read(*gguf::File::parse(bytes, "adapter.gguf"));
    ASSERT_TRUE(adapter) << adapter.error().message();
    ModelSpec spec = base;
    EXPECT_FAILS(adapter->applyTo(spec), ErrorCode::malformed, key);
    EXPECT_EQ(spec.contextTokens, base.contextTokens) << "nothing is applied after an error";
    EXPECT_EQ(spec.rope.base, base.rope.base);
  }
}

}  // namespace
}  // namespace orthros::model
