#include "engine/text/jinja/characters.hpp"

#include <algorithm>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace orthros::text::jinja {

Character characterAt(std::string_view text, size_t offset) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data()) + offset;
  const auto left = static_cast<int32_t>(std::min<size_t>(text.size() - offset, 4));
  int32_t used = 0;
  UChar32 codePoint = 0;
  U8_NEXT(bytes, used, left, codePoint);
  if (codePoint < 0) return {-1, 1};
  return {codePoint, static_cast<size_t>(used)};
}

Character characterBefore(std::string_view text, size_t end) {
  for (size_t size = 1; size <= std::min<size_t>(4, end); ++size) {
    const Character character = characterAt(text.substr(0, end), end - size);
    if (character.size == size && character.codePoint >= 0) return character;
  }
  return {-1, 1};
}

size_t countCharacters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += characterAt(text, at).size) ++count;
  return count;
}

size_t characterOffset(std::string_view text, size_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += characterAt(text, at).size;
  return at;
}

void appendCodePoint(std::string& text, uint32_t codePoint) {
  uint8_t bytes[U8_MAX_LENGTH];
  int32_t size = 0;
  UBool failed = false;
  U8_APPEND(bytes, size, U8_MAX_LENGTH, codePoint, failed);
  if (!failed) text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

bool isSpace(int32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool isLineBreak(int32_t c) {
  return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool isPrintable(int32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7f;
  return (U_GET_GC_MASK(c) & (U_GC_C_MASK | U_GC_Z_MASK)) == 0;
}

bool isCased(int32_t c) {
  return u_hasBinaryProperty(c, UCHAR_CASED);
}
bool isNameStart(int32_t c) {
  return c == '_' || u_hasBinaryProperty(c, UCHAR_XID_START);
}
bool isNamePart(int32_t c) {
  return u_hasBinaryProperty(c, UCHAR_XID_CONTINUE);
}
bool isLetter(int32_t c) {
  return c >= 0 && u_isalpha(c);
}
bool isDigit(int32_t c) {
  return c >= 0 && u_isdigit(c);
}
bool isUpper(int32_t c) {
  return u_hasBinaryProperty(c, UCHAR_UPPERCASE);
}
bool isLower(int32_t c) {
  return u_hasBinaryProperty(c, UCHAR_LOWERCASE);
}

namespace {

using CaseFunction = void (*)(const char*, uint32_t, icu::StringPiece, icu::ByteSink&, icu::Edits*,
                              UErrorCode&);

std::string mapCase(std::string_view text, CaseFunction function) {
  std::string result;
  result.reserve(text.size());
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  function("", 0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink, nullptr, status);
  return U_FAILURE(status) ? std::string(text) : result;
}

// The title-case form of one character: a digraph's own form, or the upper case with all but its first letter
// small.
std::string titleForm(std::string_view character, int32_t codePoint) {
  if (codePoint < 0) return std::string(character);
  const int32_t simple = u_totitle(codePoint);
  if (simple != codePoint) {
    std::string result;
    appendCodePoint(result, static_cast<uint32_t>(simple));
    return result;
  }
  const std::string upper = toUpper(character);
  if (upper == character) return upper;
  const size_t first = characterAt(upper, 0).size;
  return upper.substr(0, first) + toLower(std::string_view(upper).substr(first));
}

}  // namespace

bool hasCase(std::string_view text, bool upper) {
  bool found = false;
  for (size_t at = 0; at < text.size();) {
    const Character character = characterAt(text, at);
    at += character.size;
    if (!isCased(character.codePoint)) continue;
    if (!(upper ? isUpper(character.codePoint) : isLower(character.codePoint))) return false;
    found = true;
  }
  return found;
}

std::string toUpper(std::string_view text) {
  return mapCase(text, icu::CaseMap::utf8ToUpper);
}
std::string toLower(std::string_view text) {
  return mapCase(text, icu::CaseMap::utf8ToLower);
}

std::string toTitle(std::string_view text) {
  std::string result;
  bool insideWord = false;
  for (size_t at = 0; at < text.size();) {
    const Character character = characterAt(text, at);
    const std::string_view bytes = text.substr(at, character.size);
    result += insideWord ? toLower(bytes) : titleForm(bytes, character.codePoint);
    insideWord = isCased(character.codePoint);
    at += character.size;
  }
  return result;
}

std::string toCapitalized(std::string_view text) {
  if (text.empty()) return {};
  const Character first = characterAt(text, 0);
  return titleForm(text.substr(0, first.size), first.codePoint) + toLower(text.substr(first.size));
}

}  // namespace orthros::text::jinja
