// Vocabularies out of GGUF metadata.
#include <gtest/gtest.h>

#include "engine/gguf/writer.hpp"
#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

using Metadata = std::vector<std::pair<std::string, gguf::Value>>;

Metadata metadataOf(const VocabularyData& data) {
  const bool bytePairs = data.model == VocabularyModel::bytePair;
  std::vector<int32_t> kinds;
  for (const TokenKind kind : data.kinds) kinds.push_back(static_cast<int32_t>(kind));
  Metadata metadata = {{"tokenizer.ggml.model", std::string(bytePairs ? "gpt2" : "llama")},
                       {"tokenizer.ggml.tokens", gguf::Array(data.tokens)},
                       {"tokenizer.ggml.token_type", gguf::Array(kinds)}};
  if (bytePairs) {
    metadata.emplace_back("tokenizer.ggml.pre", data.preTokenizer);
    metadata.emplace_back("tokenizer.ggml.merges", gguf::Array(data.merges));
  } else {
    metadata.emplace_back("tokenizer.ggml.scores", gguf::Array(data.scores));
  }
  return metadata;
}

void set(Metadata& metadata, const std::string& name, gguf::Value value) {
  std::erase_if(metadata, [&](const auto& entry) { return entry.first == "tokenizer.ggml." + name; });
  metadata.emplace_back("tokenizer.ggml." + name, std::move(value));
}

void remove(Metadata& metadata, const std::string& name) {
  std::erase_if(metadata, [&](const auto& entry) { return entry.first == "tokenizer.ggml." + name; });
}

Result<std::shared_ptr<const Vocabulary>> load(const Metadata& metadata) {
  gguf::Writer writer;
  for (const auto& [key, value] : metadata) ORTHROS_TRY(writer.add(key, value));
  ORTHROS_ASSIGN(const auto bytes, writer.toBytes());
  ORTHROS_ASSIGN(const auto file, gguf::File::parse(bytes, "small.gguf"));
  return Vocabulary::load(file);
}

void expectError(const Metadata& metadata, ErrorCode code, const std::string& key) {
  const auto vocabulary = load(metadata);
  ASSERT_FALSE(vocabulary) << key;
  EXPECT_EQ(vocabulary.error().code, code) << vocabulary.error().message();
  EXPECT_NE(vocabulary.error().message().find("tokenizer.ggml." + key), std::string::npos)
      << vocabulary.error().message();
}

TEST(LoadingAVocabulary, BytePairsGiveTheSameTokensAsTheirData) {
  const auto loaded = load(metadataOf(smallBytePairs()));
  ASSERT_TRUE(loaded) << loaded.error().message();
  const auto made = make(smallBytePairs());
  EXPECT_EQ(tokensOf(**loaded, "hello world<tool>"), tokensOf(*made, "hello world<tool>"));
  EXPECT_EQ((*loaded)->bos(), std::nullopt);
  EXPECT_FALSE((*loaded)->addBos());
}

TEST(LoadingAVocabulary, SpecialIdsAndSwitchesAreRead) {
  Metadata metadata = metadataOf(smallBytePairs());
  set(metadata, "bos_token_id", uint32_t{270});
  set(metadata, "eos_token_id", uint32_t{271});
  set(metadata, "eot_token_id", uint32_t{7});
  set(metadata, "padding_token_id", uint32_t{8});
  set(metadata, "unknown_token_id", uint32_t{9});
  set(metadata, "add_bos_token", true);
  set(metadata, "add_eos_token", true);
  const auto loaded = load(metadata);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Vocabulary& vocabulary = **loaded;
  EXPECT_EQ(vocabulary.bos(), 270u);
  EXPECT_EQ(vocabulary.eos(), 271u);
  EXPECT_EQ(vocabulary.eot(), 7u);
  EXPECT_EQ(vocabulary.padding(), 8u);
  EXPECT_EQ(vocabulary.unknown(), 9u);
  EXPECT_TRUE(vocabulary.addBos());
  EXPECT_TRUE(vocabulary.addEos());
  EXPECT_TRUE(vocabulary.isEndOfGeneration(7));
}

TEST(LoadingAVocabulary, SentencePieceHasLlamasDefaults) {
  Metadata metadata = metadataOf(smallSentencePiece());
  const auto loaded = load(metadata);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->model(), VocabularyModel::sentencePiece);
  EXPECT_EQ((*loaded)->bos(), 1u);
  EXPECT_EQ((*loaded)->eos(), 2u);
  EXPECT_EQ((*loaded)->unknown(), 0u);
  EXPECT_TRUE((*loaded)->addBos());
  EXPECT_TRUE((*loaded)->addSpacePrefix());
  set(metadata, "add_space_prefix", false);
  set(metadata, "add_bos_token", false);
  const auto changed = load(metadata);
  ASSERT_TRUE(changed);
  EXPECT_FALSE((*changed)->addSpacePrefix());
  EXPECT_FALSE((*changed)->addBos());
}

TEST(LoadingAVocabulary, APreTokenizerMayAskForBos) {
  Metadata metadata = metadataOf(smallBytePairs());
  set(metadata, "bos_token_id", uint32_t{270});
  EXPECT_FALSE((*load(metadata))->addBos());
  set(metadata, "pre", std::string("llama-bpe"));
  EXPECT_TRUE((*load(metadata))->addBos());
  set(metadata, "add_bos_token", false);
  EXPECT_FALSE((*load(metadata))->addBos());
}

TEST(LoadingAVocabulary, MissingPreTokenizerMeansTheDefault) {
  VocabularyData data = smallBytePairs();
  Metadata metadata = metadataOf(data);
  remove(metadata, "pre");
  data.preTokenizer = "default";
  const auto loaded = load(metadata);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const std::string text = "hello, 12345 world!?";
  EXPECT_EQ(tokensOf(**loaded, text), tokensOf(*make(data), text));
}

TEST(LoadingAVocabulary, UndefinedKindsAreNormalAndOthersAreErrors) {
  Metadata metadata = metadataOf(smallBytePairs());
  std::vector<int32_t> kinds(smallBytePairs().tokens.size(), 0);
  set(metadata, "token_type", gguf::Array(kinds));
  const auto loaded = load(metadata);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->kindOf(5), TokenKind::normal);
  for (const int32_t kind : {-1, 7, INT32_MIN, INT32_MAX}) {
    kinds[5] = kind;
    set(metadata, "token_type", gguf::Array(kinds));
    expectError(metadata, ErrorCode::malformed, "token_type");
  }
}

TEST(LoadingAVocabulary, MissingKeysAreNamed) {
  for (const char* key : {"tokens", "merges"}) {
    Metadata metadata = metadataOf(smallBytePairs());
    remove(metadata, key);
    expectError(metadata, ErrorCode::malformed, key);
  }
  Metadata metadata = metadataOf(smallSentencePiece());
  remove(metadata, "scores");
  expectError(metadata, ErrorCode::malformed, "scores");
  remove(metadata, "model");
  EXPECT_FALSE(load(metadata));
}

TEST(LoadingAVocabulary, KeysOfTheWrongTypeAreNamed) {
  const std::pair<const char*, gguf::Value> wrong[] = {
      {"tokens", std::string("a")},
      {"tokens", gguf::Array(std::vector<uint32_t>{1, 2})},
      {"merges", gguf::Array(std::vector<float>{1})},
      {"merges", uint32_t{3}},
      {"token_type", gguf::Array(std::vector<std::string>{"1"})},
      {"pre", uint32_t{3}},
      {"model", uint32_t{3}},
      {"bos_token_id", std::string("1")},
      {"eos_token_id", -1},
      {"add_bos_token", std::string("yes")},
  };
  for (const auto& [key, value] : wrong) {
    Metadata metadata = metadataOf(smallBytePairs());
    set(metadata, key, value);
    const auto loaded = load(metadata);
    ASSERT_FALSE(loaded) << key;
    EXPECT_NE(loaded.error().message().find(key), std::string::npos) << loaded.error().message();
  }
}

TEST(LoadingAVocabulary, UnknownModelsAreUnsupported) {
  Metadata metadata = metadataOf(smallBytePairs());
  set(metadata, "model", std::string("bert"));
  expectError(metadata, ErrorCode::unsupported, "model");
}

TEST(LoadingAVocabulary, Phi3IsKnownByItsName) {
  Metadata metadata = metadataOf(smallSentencePiece());
  const std::string text = "</s> the";
  const auto ordinary = load(metadata);
  metadata.emplace_back("general.name", std::string("Phi-3.5 mini"));
  const auto phi = load(metadata);
  ASSERT_TRUE(ordinary && phi);
  EXPECT_EQ(textsOf(**phi, text, SpecialTokens::parse), (std::vector<std::string>{"</s>", "▁the"}));
  EXPECT_NE(tokensOf(**ordinary, text, SpecialTokens::parse), tokensOf(**phi, text, SpecialTokens::parse));
}

}  // namespace
}  // namespace orthros::text::testing
