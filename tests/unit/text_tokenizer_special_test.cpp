// Special tokens: parsed only where asked, and which of them end an answer.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

using Texts = std::vector<std::string>;

TEST(SpecialTokens, ControlTokensAreParsedOnlyInTemplateText) {
  const auto vocabulary = make(smallBytePairs());
  EXPECT_EQ(textsOf(*vocabulary, "<|im_start|>hello<|im_end|>", SpecialTokens::parse),
            (Texts{"<|im_start|>", "hello", "<|im_end|>"}));
  const auto plain = textsOf(*vocabulary, "<|im_start|>hello<|im_end|>");
  EXPECT_EQ(plain.front(), "<");
  EXPECT_EQ(std::count(plain.begin(), plain.end(), "<|im_end|>"), 0);
}

TEST(SpecialTokens, UserDefinedTokensAreOneTokenInAnyText) {
  const auto vocabulary = make(smallBytePairs());
  EXPECT_EQ(textsOf(*vocabulary, "he<tool>he"), (Texts{"he", "<tool>", "he"}));
  EXPECT_EQ(textsOf(*vocabulary, "<tool><tool>", SpecialTokens::parse), (Texts{"<tool>", "<tool>"}));
}

TEST(SpecialTokens, TheLongestOfThoseThatBeginTogetherWins) {
  VocabularyData data = smallBytePairs();
  addToken(data, "<a>", TokenKind::control);
  addToken(data, "<a><b>", TokenKind::control);
  const auto vocabulary = make(data);
  EXPECT_EQ(textsOf(*vocabulary, "<a><a><b><a", SpecialTokens::parse), (Texts{"<a>", "<a><b>", "<", "a"}));
}

TEST(SpecialTokens, PlainTextNeverGivesAControlToken) {
  VocabularyData bytePairs = smallBytePairs();
  bytePairs.preTokenizer = "llama-bpe";
  addToken(bytePairs, "<x>", TokenKind::control);
  bytePairs.merges.push_back("< x");
  addToken(bytePairs, "<x", TokenKind::normal);
  bytePairs.merges.push_back("<x >");  // a file that tries to reach the control token by merging
  VocabularyData sentencePiece = smallSentencePiece();
  addToken(sentencePiece, "<s", TokenKind::normal, -0.5f);
  std::mt19937_64 random(9);
  for (const auto& vocabulary : {make(bytePairs), make(sentencePiece)}) {
    std::vector<std::string> parts = {"<", ">", "s", "x", "|", " ", "\n"};
    for (TokenId token = 0; token < vocabulary->size(); ++token) {
      if (vocabulary->isControl(token)) parts.emplace_back(vocabulary->textOf(token));
    }
    for (int round = 0; round < 300; ++round) {
      std::string text;
      for (size_t n = random() % 12; n > 0; --n) text += parts[random() % parts.size()];
      for (const TokenId token : tokensOf(*vocabulary, text))
        EXPECT_FALSE(vocabulary->isControl(token)) << text;
      EXPECT_EQ(vocabulary->detokenize(tokensOf(*vocabulary, text)), text);
    }
  }
}

TEST(SpecialTokens, SentencePiecePutsASpaceAfterASpecialToken) {
  const auto vocabulary = make(smallSentencePiece());
  EXPECT_EQ(textsOf(*vocabulary, "<s>the</s>the", SpecialTokens::parse),
            (Texts{"<s>", "▁the", "</s>", "▁the"}));
}

TEST(SpecialTokens, Phi3sTokensTakeTheWhiteSpaceAfterThem) {
  VocabularyData data = smallSentencePiece();
  addToken(data, "<|user|>", TokenKind::control);
  data.trimAfterSpecial = true;
  const auto vocabulary = make(data);
  EXPECT_EQ(textsOf(*vocabulary, "<|user|> \n\tthe", SpecialTokens::parse), (Texts{"<|user|>", "▁the"}));
  EXPECT_EQ(textsOf(*vocabulary, "<s> the", SpecialTokens::parse), (Texts{"<s>", "▁▁", "t", "he"}));
  EXPECT_EQ(textsOf(*vocabulary, "<|user|>\n", SpecialTokens::parse), (Texts{"<|user|>"}));
}

TEST(SpecialTokens, BosIsNeverAddedByTokenizeAndOnlyOnceByPrependBos) {
  VocabularyData data = smallBytePairs();
  data.addBos = true;
  const auto vocabulary = make(data);
  auto tokens = tokensOf(*vocabulary, "hello");
  EXPECT_EQ(tokens.size(), 1u);
  vocabulary->prependBos(tokens);
  vocabulary->prependBos(tokens);
  EXPECT_EQ(tokens, (std::vector<TokenId>{*vocabulary->bos(), *vocabulary->find("hello")}));
  data.addBos = false;
  std::vector<TokenId> none;
  make(data)->prependBos(none);
  EXPECT_TRUE(none.empty());
}

TEST(SpecialTokens, AddBosNeedsABosToken) {
  VocabularyData data = smallBytePairs();
  data.addBos = data.addEos = true;
  EXPECT_TRUE(make(data)->addBos());
  data.bos = data.eos = std::nullopt;
  EXPECT_FALSE(make(data)->addBos());
  EXPECT_FALSE(make(data)->addEos());
}

TEST(EndOfGeneration, KeysAndKnownTextsEndAnAnswer) {
  VocabularyData data = smallBytePairs();
  data.eot = addToken(data, "<my-turn>", TokenKind::control);
  data.eom = addToken(data, "<my-message>", TokenKind::control);
  const TokenId known = addToken(data, "<end_of_turn>", TokenKind::control);
  const TokenId other = addToken(data, "<other>", TokenKind::control);
  const auto vocabulary = make(data);
  for (const TokenId token : {*data.eos, *data.eot, *data.eom, known}) {
    EXPECT_TRUE(vocabulary->isEndOfGeneration(token)) << vocabulary->textOf(token);
  }
  for (const TokenId token : {*data.bos, other, TokenId{0}, vocabulary->size(), UINT32_MAX}) {
    EXPECT_FALSE(vocabulary->isEndOfGeneration(token)) << token;
  }
}

// A converter's usual mistake. Left as it is, a person could end the assistant's turn by typing its name.
TEST(EndOfGeneration, AnEndThatTheFileCallsTextIsMadeControl) {
  VocabularyData data = smallBytePairs();
  const TokenId end = addToken(data, "<|eot_id|>", TokenKind::userDefined);
  const auto vocabulary = make(data);
  EXPECT_TRUE(vocabulary->isEndOfGeneration(end));
  EXPECT_TRUE(vocabulary->isControl(end));
  EXPECT_GT(tokensOf(*vocabulary, "<|eot_id|>").size(), 1u);
  EXPECT_EQ(tokensOf(*vocabulary, "<|eot_id|>", SpecialTokens::parse), std::vector<TokenId>{end});
}

TEST(EndOfGeneration, TextsThatMayBeWordsCountOnlyAsControlTokens) {
  VocabularyData data = smallBytePairs();
  const TokenId tag = addToken(data, "</s>", TokenKind::userDefined);
  EXPECT_FALSE(make(data)->isEndOfGeneration(tag));
  EXPECT_EQ(make(data)->kindOf(tag), TokenKind::userDefined);
  data.kinds[tag] = TokenKind::control;
  EXPECT_TRUE(make(data)->isEndOfGeneration(tag));
}

TEST(EndOfGeneration, HarmonysEndOfAMessageIsNotTheEndOfTheAnswer) {
  VocabularyData data = smallBytePairs();
  const TokenId end = addToken(data, "<|end|>", TokenKind::control);
  EXPECT_TRUE(make(data)->isEndOfGeneration(end));
  addToken(data, "<|return|>", TokenKind::control);
  addToken(data, "<|call|>", TokenKind::control);
  EXPECT_FALSE(make(data)->isEndOfGeneration(end));
}

}  // namespace
}  // namespace orthros::text::testing
