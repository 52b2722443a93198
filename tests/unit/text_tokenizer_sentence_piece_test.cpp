#include <gtest/gtest.h>

#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

using Texts = std::vector<std::string>;

TEST(SentencePiece, TheBestScoreMergesFirst) {
  const auto vocabulary = make(smallSentencePiece());
  EXPECT_EQ(textsOf(*vocabulary, "the thing"), (Texts{"▁the", "▁t", "h", "ing"}));
  EXPECT_EQ(textsOf(*vocabulary, "e"), (Texts{"▁", "e"}));
}

TEST(SentencePiece, TheSpacePrefixCanBeSwitchedOff) {
  VocabularyData data = smallSentencePiece();
  data.addSpacePrefix = false;
  const auto vocabulary = make(data);
  EXPECT_EQ(textsOf(*vocabulary, "the the"), (Texts{"t", "he", "▁the"}));
  EXPECT_EQ(vocabulary->detokenize(tokensOf(*vocabulary, " the")), " the");
}

TEST(SentencePiece, UnknownCharactersAreSpelledInBytes) {
  const auto vocabulary = make(smallSentencePiece());
  EXPECT_EQ(textsOf(*vocabulary, "\nt世"), (Texts{"▁", "<0x0A>", "t", "<0xE4>", "<0xB8>", "<0x96>"}));
  EXPECT_EQ(textsOf(*vocabulary, "é"), (Texts{"▁", "é"}));
}

TEST(SentencePiece, WithoutByteTokensACharacterIsOneUnknown) {
  VocabularyData data = smallSentencePiece();
  for (size_t i = 0; i < data.kinds.size(); ++i) {
    if (data.kinds[i] == TokenKind::byte) data.kinds[i] = TokenKind::unused;
  }
  EXPECT_EQ(textsOf(*make(data), "t世"), (Texts{"▁t", "<unk>"}));
}

TEST(SentencePiece, TextThatSpellsAByteOrControlTokenStaysText) {
  VocabularyData data = smallSentencePiece();
  addToken(data, "<s", TokenKind::normal, -0.5f);
  const auto vocabulary = make(data);
  EXPECT_EQ(textsOf(*vocabulary, "<s>"), (Texts{"▁", "<s", ">"}));
}

TEST(SentencePiece, SpacesAreKept) {
  const auto vocabulary = make(smallSentencePiece());
  EXPECT_EQ(textsOf(*vocabulary, "   t"), (Texts{"▁▁▁▁", "t"}));
  for (const char* text : {"", " ", "  ", "t  e ", "    t", "\n t"}) {
    EXPECT_EQ(vocabulary->detokenize(tokensOf(*vocabulary, text)), text) << "'" << text << "'";
  }
}

// A token with a space inside joins what otherwise are two words: the encoder must not cut there.
TEST(SentencePiece, TokensMayReachAcrossSpaces) {
  VocabularyData data = smallSentencePiece();
  addToken(data, "e▁", TokenKind::normal, -0.2f);
  addToken(data, "e▁t", TokenKind::normal, -0.1f);
  EXPECT_EQ(textsOf(*make(data), "e t"), (Texts{"▁", "e▁t"}));
}

TEST(SentencePiece, RandomTextComesBack) {
  const auto vocabulary = make(smallSentencePiece());
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::string text = randomText(random, random() % 200);
    if (text.find("▁") != std::string::npos) continue;  // SentencePiece's own letter for a space
    EXPECT_EQ(vocabulary->detokenize(tokensOf(*vocabulary, text)), text);
  }
}

TEST(SentencePiece, AMegabyteOfOneCharacterIsTokenizedInSeconds) {
  const auto vocabulary = make(smallSentencePiece());
  for (const char unit : {'e', ' ', '\n', '~'}) {
    const CpuTimer timer;
    const auto tokens = tokensOf(*vocabulary, std::string(1 << 20, unit));
    EXPECT_GT(tokens.size(), 1u << 18);
    EXPECT_LT(timer.seconds(), kSecondsPerMegabyte) << "'" << unit << "'";
  }
}

}  // namespace
}  // namespace orthros::text::testing
