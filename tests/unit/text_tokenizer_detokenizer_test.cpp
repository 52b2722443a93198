#include <gtest/gtest.h>

#include "engine/text/detokenizer.hpp"
#include "engine/text/unicode.hpp"
#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

const std::string kBad(kReplacementCharacter);

// In the small byte-pair vocabulary, ids 0 to 255 are bytes.
TokenId byteToken(uint8_t byte) {
  return byte;
}

TEST(Detokenizer, HoldsBackUnfinishedCharacters) {
  Detokenizer detokenizer(make(smallBytePairs()));
  EXPECT_EQ(detokenizer.push(byteToken('a')), "a");
  EXPECT_EQ(detokenizer.push(byteToken(0xF0)), "");
  EXPECT_EQ(detokenizer.push(byteToken(0x9F)), "");
  EXPECT_EQ(detokenizer.push(byteToken(0x98)), "");
  EXPECT_EQ(detokenizer.push(byteToken(0x80)), "😀");
  EXPECT_EQ(detokenizer.flush(), "");
}

TEST(Detokenizer, ReplacesBytesOnlyWhenSurelyInvalid) {
  Detokenizer detokenizer(make(smallBytePairs()));
  EXPECT_EQ(detokenizer.push(byteToken(0xE4)), "");
  EXPECT_EQ(detokenizer.push(byteToken(0xB8)), "");
  EXPECT_EQ(detokenizer.push(byteToken('b')), kBad + "b");
  EXPECT_EQ(detokenizer.push(byteToken(0xFF)), kBad);
  EXPECT_EQ(detokenizer.push(byteToken(0xC3)), "");
  EXPECT_EQ(detokenizer.flush(), kBad);
  EXPECT_EQ(detokenizer.flush(), "");
}

TEST(Detokenizer, ControlTokensAreShownOnlyWhereAsked) {
  const auto vocabulary = make(smallBytePairs());
  const std::vector<TokenId> tokens = tokensOf(*vocabulary, "<|im_start|>hello<tool>", SpecialTokens::parse);
  EXPECT_EQ(vocabulary->detokenize(tokens), "hello<tool>");
  EXPECT_EQ(vocabulary->detokenize(tokens, true), "<|im_start|>hello<tool>");
}

TEST(Detokenizer, AControlTokenEndsAnUnfinishedCharacter) {
  const auto vocabulary = make(smallBytePairs());
  Detokenizer detokenizer(vocabulary);
  EXPECT_EQ(detokenizer.push(byteToken(0xE4)), "");
  EXPECT_EQ(detokenizer.push(*vocabulary->bos()), kBad);
  EXPECT_EQ(detokenizer.push(byteToken('b')), "b");
}

TEST(Detokenizer, TheLeadingSpaceBelongsToAContinuedTextOnly) {
  const auto vocabulary = make(smallSentencePiece());
  const TokenId the = *vocabulary->find("▁the");
  Detokenizer continued(vocabulary);
  EXPECT_EQ(continued.push(the), " the");
  Detokenizer fresh(vocabulary, {.textStart = true});
  EXPECT_EQ(fresh.push(*vocabulary->bos()), "");
  EXPECT_EQ(fresh.push(the), "the");
  EXPECT_EQ(fresh.push(the), " the");
  fresh.flush();
  EXPECT_EQ(fresh.push(the), "the");
}

TEST(Detokenizer, IdsOutsideTheVocabularyAreNothing) {
  const auto vocabulary = make(smallBytePairs());
  Detokenizer detokenizer(vocabulary);
  EXPECT_EQ(detokenizer.push(vocabulary->size()), "");
  EXPECT_EQ(detokenizer.push(UINT32_MAX), "");
  EXPECT_EQ(vocabulary->pieceOf(vocabulary->size()), "");
  EXPECT_EQ(vocabulary->textOf(UINT32_MAX), "");
}

// Random bytes, most of them invalid: what streams out is valid at every step and equal to the whole.
TEST(Detokenizer, StreamedBytesEqualTheSanitizedWhole) {
  const auto vocabulary = make(smallBytePairs());
  std::mt19937_64 random(21);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = randomText(random, random() % 6);
    for (size_t n = random() % 8; n > 0; --n) {
      bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(random() % (bytes.size() + 1)),
                   static_cast<char>(random()));
    }
    Detokenizer detokenizer(vocabulary);
    std::string text;
    for (const char byte : bytes) {
      const std::string part = detokenizer.push(byteToken(static_cast<uint8_t>(byte)));
      EXPECT_TRUE(isValidUtf8(part));
      text += part;
    }
    EXPECT_EQ(text + detokenizer.flush(), sanitizeUtf8(bytes));
  }
}

TEST(Detokenizer, StreamedTokensEqualTheText) {
  std::mt19937_64 random(22);
  for (const auto& vocabulary : {make(smallBytePairs()), make(smallSentencePiece())}) {
    for (int round = 0; round < 200; ++round) {
      std::string text = randomText(random, random() % 100);
      if (text.find("▁") != std::string::npos) continue;
      Detokenizer detokenizer(vocabulary, {.textStart = true});
      std::string streamed;
      for (const TokenId token : tokensOf(*vocabulary, text)) streamed += detokenizer.push(token);
      EXPECT_EQ(detokenizer.flush(), "");
      EXPECT_EQ(streamed, text);
    }
  }
}

}  // namespace
}  // namespace orthros::text::testing
