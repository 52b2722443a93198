#include "engine/gguf/utf8.hpp"

#include <cstdint>

namespace orthros::gguf {
namespace {

bool isContinuation(char byte) {
  return (static_cast<uint8_t>(byte) & 0xC0) == 0x80;
}

// Length of the well-formed character at the front of `text`, 0 where there is none. `text` is not empty.
size_t characterLength(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!isContinuation(text[i])) return 0;
  }
  const auto second = static_cast<uint8_t>(text[1]);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool beyondUnicode = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || beyondUnicode ? 0 : length;
}

}  // namespace

std::optional<size_t> firstInvalidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = characterLength(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

size_t utf8Cut(std::string_view text, size_t limit) {
  if (limit >= text.size()) return text.size();
  while (limit > 0 && isContinuation(text[limit])) --limit;
  return limit;
}

}  // namespace orthros::gguf
