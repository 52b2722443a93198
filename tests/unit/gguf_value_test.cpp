#include <cmath>

#include <gtest/gtest.h>

#include "engine/gguf/utf8.hpp"
#include "engine/gguf/value.hpp"

namespace orthros::gguf {
namespace {

TEST(Value, TypeNumbersAreThoseOfTheFormat) {
  EXPECT_EQ(Value(uint8_t{1}).index(), 0u);
  EXPECT_EQ(Value(1.f).index(), 6u);
  EXPECT_EQ(Value(true).index(), static_cast<size_t>(ValueType::boolean));
  EXPECT_EQ(Value(std::string()).index(), static_cast<size_t>(ValueType::string));
  EXPECT_EQ(Value(Array()).index(), static_cast<size_t>(ValueType::array));
  EXPECT_EQ(Value(1.0).index(), static_cast<size_t>(ValueType::last));
  EXPECT_EQ(elementTypeNumber(Array(std::vector<std::string>{})), 8u);
  EXPECT_EQ(elementTypeNumber(Array(std::vector<uint64_t>{})), 10u);
  EXPECT_EQ(elementTypeNumber(Array(std::vector<double>{})), 12u);
}

TEST(Value, TypeNames) {
  EXPECT_EQ(typeName(Value(uint32_t{3})), "u32");
  EXPECT_EQ(typeName(Value(Array(std::vector<float>(32)))), "f32[32]");
  EXPECT_STREQ(typeName(uint32_t{13}), "unknown");
}

TEST(Value, TextOfScalars) {
  EXPECT_EQ(toText(Value(uint8_t{200})), "200");
  EXPECT_EQ(toText(Value(int8_t{-5})), "-5");
  EXPECT_EQ(toText(Value(1e-5f)), "1e-05");
  EXPECT_EQ(toText(Value(90.5096664f)), "90.50967");
  EXPECT_EQ(toText(Value(false)), "false");
  EXPECT_EQ(toText(Value(UINT64_MAX)), "18446744073709551615");
}

TEST(Value, TextOfArraysIsCutAndSaysHowLongTheyAre) {
  EXPECT_EQ(toText(Value(Array(std::vector<uint32_t>{1, 2}))), "[1, 2]");
  EXPECT_EQ(toText(Value(Array(std::vector<uint32_t>(100, 7))), 3), "[7, 7, 7, ... 100 in all]");
  EXPECT_EQ(toText(Value(Array(std::vector<bool>{true, false}))), "[true, false]");
  EXPECT_EQ(toText(Value(Array(std::vector<std::string>{}))), "[]");
}

TEST(Value, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(toText(Value(std::string("a\xE2\x82\xAC")), 8, 3), "a...");
  EXPECT_EQ(toText(Value(std::string("a\xE2\x82\xAC")), 8, 4), "a\xE2\x82\xAC");
}

TEST(Utf8, AcceptsEveryCodePoint) {
  for (uint32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::string text;
    if (point < 0x80) {
      text = static_cast<char>(point);
    } else if (point < 0x800) {
      text = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 63))};
    } else if (point < 0x10000) {
      text = {static_cast<char>(0xE0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 63)),
              static_cast<char>(0x80 | (point & 63))};
    } else {
      text = {static_cast<char>(0xF0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 63)),
              static_cast<char>(0x80 | (point >> 6 & 63)), static_cast<char>(0x80 | (point & 63))};
    }
    ASSERT_FALSE(firstInvalidUtf8("x" + text + "y")) << point;
  }
}

TEST(Utf8, RejectsIllFormedSequencesAndSaysWhere) {
  const std::string bad[] = {"\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x9F\xBF",
                             "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
                             "\xFF",         "\xE2\x82",         "\xF0\x9F\x98",     "\xE2\x28\xA1",
                             "\xC3"};
  for (const std::string& text : bad)
    EXPECT_EQ(firstInvalidUtf8("ab" + text), 2u) << testing::PrintToString(text);
}

}  // namespace
}  // namespace orthros::gguf
