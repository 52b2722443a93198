#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "engine/documents/encoding.hpp"
#include "engine/documents/text_file.hpp"

namespace orthros::documents {
namespace {

using namespace std::string_literals;

std::string textOf(const std::string& bytes) {
  const auto text = textFromBytes(bytes, "bytes");
  return text ? *text : "error: " + text.error().message();
}

ErrorCode codeOf(const std::string& bytes) {
  const auto text = textFromBytes(bytes, "notes.txt");
  EXPECT_FALSE(text);
  EXPECT_EQ(text ? "" : text.error().subject, "notes.txt");
  EXPECT_NE(text ? "" : text.error().nextStep, "");
  return text ? ErrorCode::internal : text.error().code;
}

std::string utf16(const std::u16string& text, bool bigEndian) {
  std::string bytes = bigEndian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += bigEndian ? high : low;
    bytes += bigEndian ? low : high;
  }
  return bytes;
}

class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& bytes)
      : path_(std::filesystem::path(testing::TempDir()) / name) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(DocumentText, Utf8IsKeptAndItsMarkRemoved) {
  EXPECT_EQ(textOf("plain"), "plain");
  EXPECT_EQ(textOf("Käse, 東京, 🦉"), "Käse, 東京, 🦉");
  EXPECT_EQ(textOf("\xEF\xBB\xBFKäse"), "Käse");
}

TEST(DocumentText, Utf16WithMarkInBothByteOrders) {
  const std::u16string text = u"Grüße aus 東京 \U0001F989\r\nzweite Zeile";
  for (const bool bigEndian : {false, true})
    EXPECT_EQ(textOf(utf16(text, bigEndian)), "Grüße aus 東京 🦉\nzweite Zeile") << bigEndian;
}

TEST(DocumentText, Utf32WithMark) {
  EXPECT_EQ(textOf("\xFF\xFE\0\0"s + "A\0\0\0"s + "\xE4\0\0\0"s), "Aä");
}

TEST(DocumentText, Utf16ThatEndsInHalfACharacterIsAnError) {
  EXPECT_EQ(codeOf(utf16(u"abc", false) + "\x3D\xD8"), ErrorCode::malformed);
  EXPECT_EQ(codeOf(utf16(u"abc", false) + "x"), ErrorCode::malformed);
}

TEST(DocumentText, Latin1) {
  const std::string latin =
      "Der B\xFCrgermeister l\xE4sst gr\xFC\xDF"
      "en. Die Stra\xDF"
      "e zum Hafen ist bis M\xE4rz gesperrt; die F\xE4hre f\xE4hrt "
      "sp\xE4ter. \xDC"
      "ber die neuen Zeiten wird im B\xFCro Auskunft gegeben.";
  EXPECT_EQ(textOf(latin),
            "Der Bürgermeister lässt grüßen. Die Straße zum Hafen ist bis März gesperrt; die Fähre fährt "
            "später. Über "
            "die neuen Zeiten wird im Büro Auskunft gegeben.");
}

TEST(DocumentText, Windows1252Quotes) {
  EXPECT_EQ(textOf("He said \x93no\x94 \x96 and it\x92s final, caf\xE9 or not."),
            "He said “no” – and it’s final, café or not.");
}

TEST(DocumentText, CyrillicByStatistics) {
  const std::string koi =
      "\xF7 \xD0\xCF\xD2\xD4\xD5 \xD3\xD4\xCF\xC9\xD4 \xCB\xCF\xD2\xC1\xC2\xCC\xD8, \xCE\xC1 "
      "\xCB\xCF\xD4\xCF\xD2\xCF\xCD "
      "\xD0\xD2\xC9\xC5\xC8\xC1\xCC\xC9 \xCC\xC0\xC4\xC9 \xC9\xDA \xC7\xCF\xD2\xCF\xC4\xC1.";
  EXPECT_EQ(textOf(koi), "В порту стоит корабль, на котором приехали люди из города.");
}

TEST(DocumentText, LineEndsBecomeLineFeeds) {
  EXPECT_EQ(textOf("a\r\nb\rc\nd\r\n\r\ne\r"), "a\nb\nc\nd\n\ne\n");
}

TEST(DocumentText, BinaryIsRefused) {
  EXPECT_EQ(codeOf("text with\0a hole"s), ErrorCode::malformed);
  EXPECT_EQ(codeOf("\x7F"s + "ELF\x02\x01\x01\x03\x04"), ErrorCode::malformed);
  EXPECT_EQ(codeOf(utf16(std::u16string(u"a\0b", 3), false)), ErrorCode::malformed);
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise += static_cast<char>(1 + (i * 197 + i / 7) % 255);
  EXPECT_EQ(codeOf(noise), ErrorCode::malformed);
}

TEST(DocumentText, OneStrayControlCharacterIsNotBinary) {
  const std::string text = std::string(400, 'a') + '\x08' + std::string(400, 'b');
  EXPECT_EQ(textOf(text), text);
}

TEST(DocumentText, EmptyIsRefused) {
  EXPECT_EQ(codeOf(""), ErrorCode::malformed);
  EXPECT_EQ(codeOf("\xEF\xBB\xBF"), ErrorCode::malformed);
  EXPECT_EQ(codeOf(" \r\n\t\n"), ErrorCode::malformed);
}

TEST(DocumentFile, ReadsAPathThatIsNotAscii) {
  const TemporaryFile file("прилив – čaj.txt", "one\r\ntwo");
  const auto text = readTextFile(file.path());
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(*text, "one\ntwo");
}

TEST(DocumentFile, NamesAMissingFile) {
  const auto text = readTextFile("/nowhere/notes.txt");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::notFound);
  EXPECT_EQ(text.error().subject, "/nowhere/notes.txt");
}

TEST(DocumentFile, AFolderIsAnErrorNotACrash) {
  EXPECT_FALSE(readTextFile(testing::TempDir()));
}

TEST(TextFromBytes, SeveralByteOrderMarksAreNoText) {
  EXPECT_EQ(textFromBytes("\xEF\xBB\xBF\xEF\xBB\xBFwords", "a.txt").value_or(""), "words");
  EXPECT_FALSE(textFromBytes(std::string_view("\xFF\xFE\xFF\xFE", 4), "a.txt"));
}

TEST(TextFromBytes, WhatWasReadReadsAsItselfAgain) {
  // Two control characters in 512 bytes are let pass, in the 511 that line ends leave they are not.
  std::string bytes(508, 'x');
  bytes += "\r\n\x01\x01";
  const auto text = textFromBytes(bytes, "a.txt");
  EXPECT_FALSE(text) << "the text itself would be refused";
  const auto longer = textFromBytes(std::string(2, 'x') + bytes, "a.txt");
  ASSERT_TRUE(longer);
  EXPECT_EQ(textFromBytes(*longer, "a.txt").value_or(""), *longer);
}

}  // namespace
}  // namespace orthros::documents
