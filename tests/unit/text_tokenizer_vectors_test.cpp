// Figures made by other programs: llama.cpp's vectors, our golden file of SmolLM2, and a whole book.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.hpp"
#include "engine/base/paths.hpp"
#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

std::filesystem::path tokenizerFolder() {
  return sharedFolder() / "tokenizers";
}

std::shared_ptr<const Vocabulary> loadFile(const std::filesystem::path& path) {
  const auto file = gguf::File::open(path);
  EXPECT_TRUE(file) << file.error().message();
  if (!file) return nullptr;
  auto vocabulary = Vocabulary::load(*file);
  EXPECT_TRUE(vocabulary) << vocabulary.error().message();
  return vocabulary ? *vocabulary : nullptr;
}

void expectVectors(const Vocabulary& vocabulary, const std::filesystem::path& texts,
                   const std::filesystem::path& tokens) {
  const std::vector<TokenVector> vectors = readVectors(texts, tokens);
  EXPECT_GE(vectors.size(), 40u);
  for (const TokenVector& vector : vectors) {
    EXPECT_EQ(tokensOf(vocabulary, vector.text), vector.tokens) << vector.text;
    EXPECT_EQ(vocabulary.detokenize(vector.tokens), vector.text);
  }
}

class SharedVectors : public ::testing::TestWithParam<const char*> {};

TEST_P(SharedVectors, EveryTextGivesLlamaCppsTokens) {
  const auto path = tokenizerFolder() / ("ggml-vocab-" + std::string(GetParam()) + ".gguf");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto vocabulary = loadFile(path);
  ASSERT_TRUE(vocabulary);
  expectVectors(*vocabulary, path.string() + ".inp", path.string() + ".out");
}

INSTANTIATE_TEST_SUITE_P(Text, SharedVectors,
                         ::testing::Values("gpt-2", "starcoder", "deepseek-coder", "llama-spm"));

TEST(SharedVectorsOfQwen, EveryTextGivesLlamaCppsTokens) {
  const auto path = tokenizerFolder() / "qwen3-tokenizer.json.xz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  auto data = readTokenizerJson(path, "qwen2");
  if (!data) GTEST_SKIP() << "this build of the tests cannot unpack xz";
  const auto vocabulary = make(std::move(*data));
  ASSERT_TRUE(vocabulary);
  expectVectors(*vocabulary, tokenizerFolder() / "qwen2-vocab.inp", tokenizerFolder() / "qwen2-vocab.out");
}

class SmolLm2 : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto cache = cacheFolder();
    const auto path = cache ? *cache / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf" : std::filesystem::path();
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "the default model has not been fetched";
    vocabulary_ = loadFile(path);
    ASSERT_TRUE(vocabulary_);
  }

  std::string piecesHex(const std::vector<TokenId>& tokens, size_t index) const {
    std::string hex;
    for (const char byte : vocabulary_->pieceOf(tokens.at(index))) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
      hex += digits;
    }
    return hex;
  }

  void expectCase(const nlohmann::json& golden, const std::string& field, SpecialTokens special) const {
    const auto text = golden.at("text").get<std::string>();
    const auto tokens = tokensOf(*vocabulary_, text, special);
    ASSERT_EQ(tokens, golden.at(field).get<std::vector<TokenId>>()) << text;
    const auto& pieces = golden.at(field + "_pieces_hex");
    for (size_t i = 0; i < tokens.size(); ++i) EXPECT_EQ(piecesHex(tokens, i), pieces.at(i)) << text;
    if (golden.at(field + "_round_trip").get<bool>()) {
      EXPECT_EQ(vocabulary_->detokenize(tokens, special == SpecialTokens::parse), text);
    }
  }

  static nlohmann::json golden() {
    const auto text = readFile(ORTHROS_TEST_DATA "/golden/smollm2-135m.json", 16u << 20);
    EXPECT_TRUE(text) << text.error().message();
    return text ? nlohmann::json::parse(*text) : nlohmann::json();
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
};

TEST_F(SmolLm2, GoldenTextsGiveTheGoldenTokens) {
  const nlohmann::json cases = golden().at("tokenize");
  EXPECT_GE(cases.size(), 50u);
  for (const auto& golden : cases) {
    expectCase(golden, "ids", SpecialTokens::plain);
    if (golden.contains("ids_special")) {
      expectCase(golden, "ids_special", SpecialTokens::parse);
    } else {
      const auto text = golden.at("text").get<std::string>();
      EXPECT_EQ(tokensOf(*vocabulary_, text, SpecialTokens::parse), tokensOf(*vocabulary_, text)) << text;
    }
  }
}

TEST_F(SmolLm2, GoldenPromptsGiveTheGoldenTokens) {
  const nlohmann::json prompts = golden().at("prompts");
  EXPECT_GE(prompts.size(), 5u);
  for (const auto& prompt : prompts) {
    const auto special = prompt.at("parse_special").get<bool>() ? SpecialTokens::parse : SpecialTokens::plain;
    EXPECT_EQ(tokensOf(*vocabulary_, prompt.at("text").get<std::string>(), special),
              prompt.at("ids").get<std::vector<TokenId>>())
        << prompt.at("name");
  }
}

TEST_F(SmolLm2, KnowsItsSpecialTokens) {
  EXPECT_EQ(vocabulary_->size(), 49152u);
  EXPECT_EQ(vocabulary_->bos(), 1u);
  EXPECT_EQ(vocabulary_->eos(), 2u);
  EXPECT_FALSE(vocabulary_->addBos());
  EXPECT_EQ(vocabulary_->endOfGeneration(), (std::vector<TokenId>{0, 2, 4}));
}

TEST_F(SmolLm2, ABookIsTokenizedQuicklyAndComesBack) {
  const auto path = sharedFolder() / "texts" / "moby-dick.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto book = readFile(path, 16u << 20);
  ASSERT_TRUE(book);
  const CpuTimer timer;
  const auto tokens = tokensOf(*vocabulary_, *book);
  const double took = timer.seconds();
  EXPECT_EQ(vocabulary_->detokenize(tokens), *book);
  RecordProperty("seconds", std::to_string(took));
  EXPECT_LT(took, kSecondsPerMegabyte);  // the book has 1 MB
}

}  // namespace
}  // namespace orthros::text::testing
