// Byte-level byte pairs write every byte as a printable letter ("Ġ" is the space). The mapping is GPT-2's
// (bytes_to_unicode in openai/gpt-2, encoder.py).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orthros::text {

// The letter that stands for a byte: itself where printable, otherwise a letter from U+0100 on.
char32_t letterOfByte(uint8_t byte);
std::optional<uint8_t> byteOfLetter(char32_t letter);

// The bytes behind a token's letters. Characters that stand for no byte are kept as they are.
std::string bytesOfLetters(std::string_view letters);

}  // namespace orthros::text
