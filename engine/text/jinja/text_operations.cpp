#include "engine/text/jinja/text_operations.hpp"

#include <algorithm>

#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {
namespace {

bool isStripped(std::string_view bytes, int32_t codePoint, const std::optional<Text>& characters) {
  if (!characters) return isSpace(codePoint);
  return characters->bytes().find(bytes) != std::string_view::npos;
}

// Where white space ends, from `at` on.
size_t skipSpace(std::string_view bytes, size_t at) {
  while (at < bytes.size()) {
    const Character character = characterAt(bytes, at);
    if (!isSpace(character.codePoint)) break;
    at += character.size;
  }
  return at;
}

size_t skipWord(std::string_view bytes, size_t at) {
  while (at < bytes.size()) {
    const Character character = characterAt(bytes, at);
    if (isSpace(character.codePoint)) break;
    at += character.size;
  }
  return at;
}

size_t skipBack(std::string_view bytes, size_t end, bool space) {
  while (end > 0) {
    const Character character = characterBefore(bytes, end);
    if (isSpace(character.codePoint) != space) break;
    end -= character.size;
  }
  return end;
}

std::vector<Text> splitWhitespaceFromRight(const Text& text, int64_t limit) {
  const std::string_view bytes = text.bytes();
  std::vector<Text> pieces;
  size_t end = skipBack(bytes, bytes.size(), true);
  for (; end > 0 && (limit < 0 || limit-- > 0); end = skipBack(bytes, end, true)) {
    const size_t begin = skipBack(bytes, end, false);
    pieces.push_back(text.slice(begin, end));
    end = begin;
  }
  if (end > 0) pieces.push_back(text.slice(0, end));
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<Text> splitFromRight(const Text& text, std::string_view separator, int64_t limit) {
  std::vector<Text> pieces;
  size_t end = text.size();
  while (limit < 0 || limit-- > 0) {
    if (end < separator.size()) break;
    const size_t found = text.bytes().substr(0, end).rfind(separator);
    if (found == std::string_view::npos) break;
    pieces.push_back(text.slice(found + separator.size(), end));
    end = found;
  }
  pieces.push_back(text.slice(0, end));
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

Result<Text> insertBetweenCharacters(const Text& text, const Text& to, int64_t limit) {
  TextBuilder out;
  size_t at = 0;
  for (; limit < 0 || limit-- > 0;) {
    out.append(to);
    if (at >= text.size() || out.overflowed()) return out.finish();
    const size_t size = characterAt(text.bytes(), at).size;
    out.append(text, at, at + size);
    at += size;
  }
  out.append(text, at, text.size());
  return out.finish();
}

}  // namespace

Text strip(const Text& text, const std::optional<Text>& characters, Side side) {
  const std::string_view bytes = text.bytes();
  size_t begin = 0;
  size_t end = bytes.size();
  while (side != Side::right && begin < end) {
    const Character character = characterAt(bytes, begin);
    if (!isStripped(bytes.substr(begin, character.size), character.codePoint, characters)) break;
    begin += character.size;
  }
  while (side != Side::left && end > begin) {
    const Character character = characterBefore(bytes, end);
    if (!isStripped(bytes.substr(end - character.size, character.size), character.codePoint, characters))
      break;
    end -= character.size;
  }
  return text.slice(begin, end);
}

Result<Text> replace(const Text& text, const Text& from, const Text& to, int64_t limit, Work& work) {
  ORTHROS_TRY(work.charge(text.size() / 16));
  if (from.empty()) return insertBetweenCharacters(text, to, limit);
  TextBuilder out;
  size_t at = 0;
  while (limit < 0 || limit-- > 0) {
    const size_t found = text.bytes().find(from.bytes(), at);
    if (found == std::string_view::npos || out.overflowed()) break;
    out.append(text, at, found);
    out.append(to);
    at = found + from.size();
  }
  out.append(text, at, text.size());
  ORTHROS_TRY(work.charge(out.size() / 16));
  return out.finish();
}

std::vector<Text> split(const Text& text, std::string_view separator, int64_t limit, Side from) {
  if (from == Side::right) return splitFromRight(text, separator, limit);
  std::vector<Text> pieces;
  size_t at = 0;
  while (limit < 0 || limit-- > 0) {
    const size_t found = text.bytes().find(separator, at);
    if (found == std::string_view::npos) break;
    pieces.push_back(text.slice(at, found));
    at = found + separator.size();
  }
  pieces.push_back(text.slice(at, text.size()));
  return pieces;
}

std::vector<Text> splitWhitespace(const Text& text, int64_t limit, Side from) {
  if (from == Side::right) return splitWhitespaceFromRight(text, limit);
  const std::string_view bytes = text.bytes();
  std::vector<Text> pieces;
  size_t at = skipSpace(bytes, 0);
  for (; at < bytes.size() && (limit < 0 || limit-- > 0); at = skipSpace(bytes, at)) {
    const size_t end = skipWord(bytes, at);
    pieces.push_back(text.slice(at, end));
    at = end;
  }
  if (at < bytes.size()) pieces.push_back(text.slice(at, bytes.size()));
  return pieces;
}

std::vector<Text> splitLines(const Text& text, bool keepEnds) {
  const std::string_view bytes = text.bytes();
  std::vector<Text> lines;
  size_t begin = 0;
  for (size_t at = 0; at < bytes.size();) {
    const Character character = characterAt(bytes, at);
    const size_t end = at;
    at += character.size;
    if (!isLineBreak(character.codePoint)) continue;
    if (character.codePoint == '\r' && at < bytes.size() && bytes[at] == '\n') ++at;
    lines.push_back(text.slice(begin, keepEnds ? at : end));
    begin = at;
  }
  if (begin < bytes.size()) lines.push_back(text.slice(begin, bytes.size()));
  return lines;
}

Result<Text> join(const Text& separator, const Sequence& items, Work& work) {
  TextBuilder out;
  for (size_t i = 0; i < items.items.size() && !out.overflowed(); ++i) {
    if (i > 0) out.append(separator);
    ORTHROS_ASSIGN(const Text text, toText(items.items[i], work));
    out.append(text);
  }
  ORTHROS_TRY(work.charge(items.items.size() + out.size() / 16));
  return out.finish();
}

Result<Text> pad(const Text& text, int64_t width, const Text& fill, Side side) {
  const auto size = static_cast<int64_t>(countCharacters(text.bytes()));
  const auto missing = static_cast<uint64_t>(std::max<int64_t>(width - size, 0));
  uint64_t left = side == Side::left ? missing : 0;
  // Python's str.center gives the odd space to the left only where the width is odd too.
  if (side == Side::both) left = missing / 2 + (missing & static_cast<uint64_t>(width) & 1);
  TextBuilder out;
  out.repeat(fill, left);
  out.append(text);
  out.repeat(fill, missing - left);
  return out.finish();
}

Result<Value> listOfTexts(std::vector<Text> texts) {
  std::vector<Value> items;
  items.reserve(texts.size());
  for (Text& text : texts) items.emplace_back(std::move(text));
  return makeSequence(SequenceKind::list, std::move(items));
}

}  // namespace orthros::text::jinja
