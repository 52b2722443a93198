#include "engine/text/unicode.hpp"

#include <cstring>

namespace orthros::text {
namespace {

struct LeadByte {
  uint32_t length = 0;  // 0: cannot begin a character
  // The second byte's range; it excludes overlong forms, surrogates and values above U+10FFFF.
  uint8_t secondMin = 0x80;
  uint8_t secondMax = 0xBF;
};

LeadByte leadByteOf(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

// The length of the leading bytes below 0x80, eight at a time.
size_t asciiPrefix(std::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080ull;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    if (word & kHighBits) break;
  }
  while (at < bytes.size() && static_cast<uint8_t>(bytes[at]) < 0x80) ++at;
  return at;
}

// The length of the leading bytes that are UTF-8.
size_t validPrefix(std::string_view bytes) {
  size_t at = asciiPrefix(bytes);
  while (at < bytes.size()) {
    const Utf8Step step = nextCodePoint(bytes.substr(at));
    if (step.state != Utf8State::valid) break;
    at += step.length;
    if (step.length == 1) at += asciiPrefix(bytes.substr(at));
  }
  return at;
}

}  // namespace

Utf8Step nextCodePoint(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  const LeadByte lead = leadByteOf(first);
  if (lead.length == 0) return {Utf8State::invalid, 1};
  if (lead.length == 1) return {Utf8State::valid, 1, first};
  char32_t codePoint = first & (0xFFu >> (lead.length + 1));
  for (uint32_t i = 1; i < lead.length; ++i) {
    if (i == bytes.size()) return {Utf8State::incomplete, i};
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const uint8_t min = i == 1 ? lead.secondMin : 0x80;
    const uint8_t max = i == 1 ? lead.secondMax : 0xBF;
    if (byte < min || byte > max) return {Utf8State::invalid, i};
    codePoint = (codePoint << 6) | (byte & 0x3Fu);
  }
  return {Utf8State::valid, lead.length, codePoint};
}

bool isValidUtf8(std::string_view bytes) {
  return validPrefix(bytes) == bytes.size();
}

std::string sanitizeUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t valid = validPrefix(bytes);
    text.append(bytes.substr(0, valid));
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    bytes.remove_prefix(nextCodePoint(bytes).length);
    text.append(kReplacementCharacter);
  }
  return text;
}

void appendUtf8(std::string& text, char32_t codePoint) {
  const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto continuation = [&](uint32_t shift) { put(0x80 | ((codePoint >> shift) & 0x3F)); };
  if (codePoint < 0x80) {
    put(codePoint);
  } else if (codePoint < 0x800) {
    put(0xC0 | (codePoint >> 6));
    continuation(0);
  } else if (codePoint < 0x10000) {
    put(0xE0 | (codePoint >> 12));
    continuation(6);
    continuation(0);
  } else {
    put(0xF0 | (codePoint >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace orthros::text
