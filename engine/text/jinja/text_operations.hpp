// Operations on texts that filters and methods share. All keep the origin of each character.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/text.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

enum class Side : uint8_t { left, right, both };

// Without the characters of `characters` (white space where absent) at its ends.
Text strip(const Text& text, const std::optional<Text>& characters, Side side);

// Every occurrence of `from`, at most `limit` of them where that is not negative. An empty `from` matches
// between all characters.
Result<Text> replace(const Text& text, const Text& from, const Text& to, int64_t limit, Work& work);

// Pieces between separators, cut `limit` times at most (< 0: no limit), from the left or the right.
std::vector<Text> split(const Text& text, std::string_view separator, int64_t limit, Side from);
std::vector<Text> splitWhitespace(const Text& text, int64_t limit, Side from);
std::vector<Text> splitLines(const Text& text, bool keepEnds);

// str.join over str().
Result<Text> join(const Text& separator, const Sequence& items, Work& work);

// Padded to `width` characters; `side` is where the padding goes.
Result<Text> pad(const Text& text, int64_t width, const Text& fill, Side side);

Result<Value> listOfTexts(std::vector<Text> texts);

}  // namespace orthros::text::jinja
