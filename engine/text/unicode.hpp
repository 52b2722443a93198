// UTF-8 as bytes: checking, decoding one character, replacing what is not UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orthros::text {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8State : uint8_t {
  valid,       // one character of `length` bytes
  incomplete,  // the bytes end inside a character; more bytes may complete it
  invalid,     // `length` bytes that no continuation can make valid
};

struct Utf8Step {
  Utf8State state = Utf8State::invalid;
  uint32_t length = 0;  // bytes, >= 1
  char32_t codePoint = 0;
};

// Looks at the first character of `bytes`, which must not be empty. Invalid bytes are grouped as the Unicode
// standard recommends (section 3.9, maximal subparts), so each group is one U+FFFD.
Utf8Step nextCodePoint(std::string_view bytes);

bool isValidUtf8(std::string_view bytes);

// A copy with U+FFFD in place of each group of bytes that is not UTF-8.
std::string sanitizeUtf8(std::string_view bytes);

void appendUtf8(std::string& text, char32_t codePoint);

}  // namespace orthros::text
