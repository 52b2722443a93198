// Damaged vocabularies: an error that names the field and the token, never a crash.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

void expectError(VocabularyData data, ErrorCode code, const std::string& key, const std::string& detail) {
  const auto vocabulary = Vocabulary::create(std::move(data));
  ASSERT_FALSE(vocabulary) << key << ": " << detail;
  EXPECT_EQ(vocabulary.error().code, code);
  EXPECT_NE(vocabulary.error().subject.find(key), std::string::npos) << vocabulary.error().message();
  EXPECT_NE(vocabulary.error().message().find(detail), std::string::npos) << vocabulary.error().message();
  EXPECT_NE(vocabulary.error().subject.find("small"), std::string::npos) << "the file is not named";
}

void expectMalformed(VocabularyData data, const std::string& key, const std::string& detail) {
  expectError(std::move(data), ErrorCode::malformed, "tokenizer.ggml." + key, detail);
}

TEST(DamagedVocabulary, NoTokens) {
  VocabularyData data;
  data.name = "small";
  expectMalformed(data, "tokens", "no tokens");
}

TEST(DamagedVocabulary, TokensThatAreNotUtf8) {
  for (VocabularyData data : {smallBytePairs(), smallSentencePiece()}) {
    data.tokens[17] = "\xC3(";
    data.kinds[17] = TokenKind::normal;
    expectMalformed(data, "tokens", "token 17 is not UTF-8");
  }
}

TEST(DamagedVocabulary, TwoTokensWithOneText) {
  VocabularyData data = smallBytePairs();
  data.tokens[70] = data.tokens[66];
  expectMalformed(data, "tokens", "token 66 and token 70 are both 'B'");
}

TEST(DamagedVocabulary, EmptyTokensAreGapsNotDuplicates) {
  VocabularyData data = smallBytePairs();
  addToken(data, "", TokenKind::unused);
  addToken(data, "", TokenKind::control);
  addToken(data, "", TokenKind::userDefined);
  const auto vocabulary = make(data);
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(textsOf(*vocabulary, "hello", SpecialTokens::parse), std::vector<std::string>{"hello"});
  EXPECT_FALSE(vocabulary->find(""));
}

TEST(DamagedVocabulary, ListsOfTheWrongLength) {
  VocabularyData data = smallBytePairs();
  data.kinds.pop_back();
  expectMalformed(data, "token_type", "entries for");
  data = smallSentencePiece();
  data.scores.pop_back();
  expectMalformed(data, "scores", "entries for");
  data.scores.clear();
  expectMalformed(data, "scores", "has 0 entries");
}

TEST(DamagedVocabulary, ScoresThatAreNotNumbers) {
  for (const float value : {std::nanf(""), INFINITY, -INFINITY}) {
    VocabularyData data = smallSentencePiece();
    data.scores[5] = value;
    expectMalformed(data, "scores", "entry 5");
  }
}

TEST(DamagedVocabulary, MergesThatNameNoTokens) {
  for (const char* merge : {"nosuch a", "a nosuch", "a b", "ab", "", " ", "a ", " a", "\xFF \xFF"}) {
    VocabularyData data = smallBytePairs();
    data.merges[2] = merge;
    expectMalformed(data, "merges", "merge 2");
  }
}

TEST(DamagedVocabulary, SpecialIdsOutOfRange) {
  using Id = std::optional<TokenId> VocabularyData::*;
  const std::pair<Id, const char*> ids[] = {
      {&VocabularyData::bos, "bos_token_id"},         {&VocabularyData::eos, "eos_token_id"},
      {&VocabularyData::eot, "eot_token_id"},         {&VocabularyData::eom, "eom_token_id"},
      {&VocabularyData::unknown, "unknown_token_id"}, {&VocabularyData::padding, "padding_token_id"},
  };
  for (const auto& [id, key] : ids) {
    for (const TokenId value : {static_cast<TokenId>(smallBytePairs().tokens.size()), UINT32_MAX}) {
      VocabularyData data = smallBytePairs();
      data.*id = value;
      expectMalformed(data, key, std::to_string(value));
    }
  }
}

TEST(DamagedVocabulary, ByteTokensThatNameNoByte) {
  for (const char* text : {"<0x0G>", "<0x+1>", "<0x 1>", "0x0A", "<0x0A", "<0x>", "<0x00A>", "<1x0A>"}) {
    VocabularyData data = smallSentencePiece();
    data.tokens[3] = text;
    expectMalformed(data, "tokens", "token 3");
  }
}

TEST(DamagedVocabulary, CharactersThatCannotBeSpelled) {
  VocabularyData data = smallSentencePiece();
  data.kinds[3 + 0x41] = TokenKind::unused;
  ASSERT_TRUE(Vocabulary::create(data)) << "the unknown token stands in";
  data.unknown = std::nullopt;
  expectMalformed(data, "tokens", "byte 65");
}

TEST(DamagedVocabulary, UnknownPreTokenizerIsNamedWithTheKnownOnes) {
  VocabularyData data = smallBytePairs();
  data.preTokenizer = "no-such";
  expectError(data, ErrorCode::unsupported, "tokenizer.ggml.pre", "'no-such'");
  expectError(data, ErrorCode::unsupported, "tokenizer.ggml.pre", "smollm");
}

}  // namespace
}  // namespace orthros::text::testing
