#include <set>

#include <gtest/gtest.h>

#include "engine/text/byte_level.hpp"
#include "engine/text/unicode.hpp"

namespace orthros::text {
namespace {

constexpr std::string_view kBad = kReplacementCharacter;

std::string bad(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += kBad;
  return text;
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t codePoint = 0; codePoint <= 0x10FFFF; ++codePoint) {
    if (codePoint >= 0xD800 && codePoint <= 0xDFFF) continue;
    std::string text;
    appendUtf8(text, codePoint);
    const Utf8Step step = nextCodePoint(text);
    ASSERT_EQ(step.state, Utf8State::valid);
    ASSERT_EQ(step.length, text.size());
    ASSERT_EQ(step.codePoint, codePoint);
    for (size_t cut = 1; cut < text.size(); ++cut) {
      const Utf8Step part = nextCodePoint(std::string_view(text).substr(0, cut));
      ASSERT_EQ(part.state, Utf8State::incomplete);
      ASSERT_EQ(part.length, cut);
    }
  }
}

// Examples of the Unicode standard, section 3.9, tables 3-8 to 3-11: how many U+FFFD ill-formed bytes become.
TEST(Utf8, InvalidBytesBecomeOneReplacementPerMaximalSubpart) {
  EXPECT_EQ(sanitizeUtf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), bad(8) + "A");
  EXPECT_EQ(sanitizeUtf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), bad(8) + "A");
  EXPECT_EQ(sanitizeUtf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), bad(5) + "A" + bad(2) + "B");
  EXPECT_EQ(sanitizeUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), bad(4) + "A");
}

TEST(Utf8, ValidityIsCheckedToTheLastByte) {
  EXPECT_TRUE(isValidUtf8(""));
  EXPECT_TRUE(isValidUtf8("0123456789 é 世界 🏳"));
  const std::string ascii(37, 'a');
  for (size_t at = 0; at < ascii.size(); ++at) {
    std::string broken = ascii;
    broken[at] = '\x80';
    EXPECT_FALSE(isValidUtf8(broken)) << at;
  }
  EXPECT_FALSE(isValidUtf8("abc\xE4\xB8"));
  EXPECT_EQ(sanitizeUtf8("abc\xE4\xB8"), "abc" + bad(1));
}

TEST(ByteLevel, EveryByteHasItsOwnLetterAndComesBack) {
  std::set<char32_t> letters;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const char32_t letter = letterOfByte(static_cast<uint8_t>(byte));
    letters.insert(letter);
    EXPECT_EQ(byteOfLetter(letter), byte);
  }
  EXPECT_EQ(letters.size(), 256u);
}

TEST(ByteLevel, KnownLetters) {
  EXPECT_EQ(letterOfByte(' '), U'Ġ');
  EXPECT_EQ(letterOfByte('\n'), U'Ċ');
  EXPECT_EQ(letterOfByte('a'), U'a');
  EXPECT_EQ(letterOfByte(0xAD), U'\u0143');
  EXPECT_EQ(byteOfLetter(U' '), std::nullopt);
  EXPECT_EQ(byteOfLetter(U'\u0144'), std::nullopt);
  EXPECT_EQ(bytesOfLetters("ĠcafÃ©"), " café");
  EXPECT_EQ(bytesOfLetters("a世"), "a世");
}

}  // namespace
}  // namespace orthros::text
