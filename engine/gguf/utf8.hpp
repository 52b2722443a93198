// The two UTF-8 questions that a container of strings has to answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace orthros::gguf {

// Position of the first byte that is not well-formed UTF-8 (Unicode 15, table 3-7), or nothing.
std::optional<size_t> firstInvalidUtf8(std::string_view text);

// The largest cut <= limit that does not split a character.
size_t utf8Cut(std::string_view text, size_t limit);

}  // namespace orthros::gguf
