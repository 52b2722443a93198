// What Python's str knows about characters: code points, white space, case, printability. Case data comes
// from ICU. Bytes that are not UTF-8 count as one character each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orthros::text::jinja {

struct Character {
  int32_t codePoint = 0;  // -1 for a byte that is not UTF-8
  size_t size = 0;        // bytes
};

Character characterAt(std::string_view text, size_t offset);
// The character that ends just before `end` (> 0).
Character characterBefore(std::string_view text, size_t end);
size_t countCharacters(std::string_view text);
// Byte offset of character number `index`; text.size() past the end.
size_t characterOffset(std::string_view text, size_t index);
void appendCodePoint(std::string& text, uint32_t codePoint);

bool isSpace(int32_t codePoint);      // str.isspace and \s of the re module
bool isLineBreak(int32_t codePoint);  // where str.splitlines cuts
bool isPrintable(int32_t codePoint);  // what repr() leaves as it is
bool isCased(int32_t codePoint);
bool isNameStart(int32_t codePoint);
bool isNamePart(int32_t codePoint);
bool isLetter(int32_t codePoint);
bool isDigit(int32_t codePoint);
bool isUpper(int32_t codePoint);
bool isLower(int32_t codePoint);

// str.isupper and str.islower: some cased characters, and all of them in that case.
bool hasCase(std::string_view text, bool upper);

// str.upper, str.lower, str.title, str.capitalize.
std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);
std::string toTitle(std::string_view text);
std::string toCapitalized(std::string_view text);

}  // namespace orthros::text::jinja
