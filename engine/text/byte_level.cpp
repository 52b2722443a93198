#include "engine/text/byte_level.hpp"

#include <array>

#include "engine/text/unicode.hpp"

namespace orthros::text {
namespace {

constexpr char32_t kFirstStandIn = 0x100;

constexpr bool isPrintable(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct StandIns {
  std::array<char32_t, 256> letters{};
  std::array<uint8_t, 256> bytes{};  // [letter - kFirstStandIn]
  uint32_t count = 0;
};

constexpr StandIns makeStandIns() {
  StandIns result;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    if (isPrintable(byte)) {
      result.letters[byte] = byte;
    } else {
      result.bytes[result.count] = static_cast<uint8_t>(byte);
      result.letters[byte] = kFirstStandIn + result.count++;
    }
  }
  return result;
}

constexpr StandIns kStandIns = makeStandIns();

}  // namespace

char32_t letterOfByte(uint8_t byte) {
  return kStandIns.letters[byte];
}

std::optional<uint8_t> byteOfLetter(char32_t letter) {
  if (letter < 0x100 && isPrintable(letter)) return static_cast<uint8_t>(letter);
  if (letter < kFirstStandIn || letter - kFirstStandIn >= kStandIns.count) return std::nullopt;
  return kStandIns.bytes[letter - kFirstStandIn];
}

std::string bytesOfLetters(std::string_view letters) {
  std::string bytes;
  bytes.reserve(letters.size());
  while (!letters.empty()) {
    const Utf8Step step = nextCodePoint(letters);
    const auto byte = step.state == Utf8State::valid ? byteOfLetter(step.codePoint) : std::nullopt;
    if (byte) {
      bytes.push_back(static_cast<char>(*byte));
    } else {
      bytes.append(letters.substr(0, step.length));
    }
    letters.remove_prefix(step.length);
  }
  return bytes;
}

}  // namespace orthros::text
