// Methods of str that answer questions about it.
#include <algorithm>

#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"

namespace orthros::text::jinja {
namespace {

template <bool atStart>
Result<Value> endsMethod(Interpreter&, const Value& self, const Bound& arguments) {
  const std::string_view bytes = textOf(self).bytes();
  std::vector<Value> choices = {arguments.required(0)};
  const auto* tuple = choices[0].asSequence();
  if (tuple != nullptr && tuple->kind == SequenceKind::tuple) choices = std::vector<Value>(tuple->items);
  for (const Value& choice : choices) {
    const auto* part = choice.as<Text>();
    if (part == nullptr) {
      return failRender("startswith() and endswith() look for a str, not " + std::string(choice.typeName()));
    }
    if (atStart ? bytes.starts_with(part->bytes()) : bytes.ends_with(part->bytes())) return Value(true);
  }
  return Value(false);
}

// The part of the text that the optional arguments `start` and `end` (in characters) select.
struct Part {
  size_t begin = 0;  // bytes
  size_t end = 0;
};

Result<Part> selectPart(const Text& text, const Bound& arguments) {
  const auto size = static_cast<int64_t>(countCharacters(text.bytes()));
  const auto place = [&](int64_t index) {
    return characterOffset(
        text.bytes(), static_cast<size_t>(std::clamp(index < 0 ? index + size : index, int64_t{0}, size)));
  };
  Part part{0, text.size()};
  if (!arguments.absent(1)) {
    ORTHROS_ASSIGN(const int64_t start, arguments.integer(1, 0));
    part.begin = place(start);
  }
  if (!arguments.absent(2)) {
    ORTHROS_ASSIGN(const int64_t end, arguments.integer(2, 0));
    part.end = place(end);
  }
  part.end = std::max(part.begin, part.end);
  return part;
}

template <bool fromLeft>
Result<int64_t> find(const Value& self, const Bound& arguments) {
  const Text& text = textOf(self);
  ORTHROS_ASSIGN(const Text wanted, arguments.text(0));
  ORTHROS_ASSIGN(const Part part, selectPart(text, arguments));
  const std::string_view searched = text.bytes().substr(part.begin, part.end - part.begin);
  const size_t found = fromLeft ? searched.find(wanted.bytes()) : searched.rfind(wanted.bytes());
  if (found == std::string_view::npos) return int64_t{-1};
  return static_cast<int64_t>(countCharacters(text.bytes().substr(0, part.begin + found)));
}

template <bool fromLeft>
Result<Value> findMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const int64_t index, find<fromLeft>(self, arguments));
  return Value(index);
}

template <bool fromLeft>
Result<Value> indexMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const int64_t index, find<fromLeft>(self, arguments));
  if (index < 0) return failRender("index() does not find the text");
  return Value(index);
}

Result<Value> countMethod(Interpreter&, const Value& self, const Bound& arguments) {
  const Text& text = textOf(self);
  ORTHROS_ASSIGN(const Text wanted, arguments.text(0));
  ORTHROS_ASSIGN(const Part part, selectPart(text, arguments));
  const std::string_view searched = text.bytes().substr(part.begin, part.end - part.begin);
  if (wanted.empty()) return Value(static_cast<int64_t>(countCharacters(searched)) + 1);
  int64_t count = 0;
  for (size_t at = searched.find(wanted.bytes()); at != std::string_view::npos;
       at = searched.find(wanted.bytes(), at + wanted.size())) {
    ++count;
  }
  return Value(count);
}

bool isAlphanumeric(int32_t codePoint) {
  return isLetter(codePoint) || isDigit(codePoint);
}

// Whether the text has characters and all of them are of the class.
template <bool (*belongs)(int32_t)>
Result<Value> allMethod(Interpreter&, const Value& self, const Bound&) {
  const std::string_view bytes = textOf(self).bytes();
  for (size_t at = 0; at < bytes.size();) {
    const Character character = characterAt(bytes, at);
    if (!belongs(character.codePoint)) return Value(false);
    at += character.size;
  }
  return Value(!bytes.empty());
}

template <bool upper>
Result<Value> isCaseMethod(Interpreter&, const Value& self, const Bound&) {
  return Value(hasCase(textOf(self).bytes(), upper));
}

constexpr Builtin textQueryTable[] = {
    {"startswith", "prefix", endsMethod<true>},
    {"endswith", "suffix", endsMethod<false>},
    {"find", "sub start? end?", findMethod<true>},
    {"rfind", "sub start? end?", findMethod<false>},
    {"index", "sub start? end?", indexMethod<true>},
    {"rindex", "sub start? end?", indexMethod<false>},
    {"count", "sub start? end?", countMethod},
    {"isdigit", "", allMethod<isDigit>},
    {"isdecimal", "", allMethod<isDigit>},
    {"isnumeric", "", allMethod<isDigit>},
    {"isalpha", "", allMethod<isLetter>},
    {"isalnum", "", allMethod<isAlphanumeric>},
    {"isspace", "", allMethod<isSpace>},
    {"isupper", "", isCaseMethod<true>},
    {"islower", "", isCaseMethod<false>},
};

}  // namespace

std::span<const Builtin> textQueryMethods() {
  return textQueryTable;
}

}  // namespace orthros::text::jinja
