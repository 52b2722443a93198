// Methods of str that give texts.
#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/format.hpp"
#include "engine/text/jinja/text_operations.hpp"

namespace orthros::text::jinja {
namespace {

template <Side side>
Result<Value> stripMethod(Interpreter&, const Value& self, const Bound& arguments) {
  std::optional<Text> characters;
  if (!arguments.absent(0)) {
    ORTHROS_ASSIGN(characters, arguments.text(0));
  }
  return Value(strip(textOf(self), characters, side));
}

template <Side from>
Result<Value> splitMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const int64_t limit, arguments.integer(1, -1));
  if (arguments.absent(0)) return listOfTexts(splitWhitespace(textOf(self), limit, from));
  ORTHROS_ASSIGN(const Text separator, arguments.text(0));
  if (separator.empty()) return failRender("a separator is empty");
  return listOfTexts(split(textOf(self), separator.bytes(), limit, from));
}

Result<Value> splitlinesMethod(Interpreter&, const Value& self, const Bound& arguments) {
  return listOfTexts(splitLines(textOf(self), arguments.truth(0, false)));
}

template <Side from>
Result<Value> partitionMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text separator, arguments.text(0));
  if (separator.empty()) return failRender("a separator is empty");
  const Text& text = textOf(self);
  const size_t found =
      from == Side::left ? text.bytes().find(separator.bytes()) : text.bytes().rfind(separator.bytes());
  std::vector<Value> parts;
  if (found == std::string_view::npos) {
    parts = {Value(text), Value(Text()), Value(Text())};
    if (from == Side::right) std::swap(parts[0], parts[2]);
  } else {
    const size_t end = found + separator.size();
    parts = {Value(text.slice(0, found)), Value(text.slice(found, end)), Value(text.slice(end, text.size()))};
  }
  return makeSequence(SequenceKind::tuple, std::move(parts));
}

Result<Value> replaceMethod(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text from, arguments.text(0));
  ORTHROS_ASSIGN(const Text to, arguments.text(1));
  ORTHROS_ASSIGN(const int64_t limit, arguments.integer(2, -1));
  return asValue(replace(textOf(self), from, to, limit, interpreter.work()));
}

template <std::string (*change)(std::string_view)>
Result<Value> caseMethod(Interpreter&, const Value& self, const Bound&) {
  const Text& text = textOf(self);
  return Value(Text::derived(change(text.bytes()), {&text}));
}

Result<Value> joinMethod(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const auto items, iterate(arguments.required(0), interpreter.work()));
  for (const Value& item : items->items) {
    if (item.as<Text>() == nullptr) {
      return failRender("join() takes only str, not " + std::string(item.typeName()));
    }
  }
  return asValue(join(textOf(self), *items, interpreter.work()));
}

Result<Value> removeprefixMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text prefix, arguments.text(0));
  const Text& text = textOf(self);
  return Value(text.bytes().starts_with(prefix.bytes()) ? text.slice(prefix.size(), text.size()) : text);
}

Result<Value> removesuffixMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text suffix, arguments.text(0));
  const Text& text = textOf(self);
  return Value(text.bytes().ends_with(suffix.bytes()) ? text.slice(0, text.size() - suffix.size()) : text);
}

template <Side side>
Result<Value> padMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const int64_t width, arguments.integer(0, 0));
  ORTHROS_ASSIGN(const Text fill, arguments.text(1, " "));
  if (countCharacters(fill.bytes()) != 1) return failRender("a fill must be one character");
  return asValue(pad(textOf(self), width, fill, side));
}

Result<Value> zfillMethod(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const int64_t width, arguments.integer(0, 0));
  const Text& text = textOf(self);
  const size_t sign = text.bytes().starts_with('-') || text.bytes().starts_with('+') ? 1 : 0;
  TextBuilder out;
  out.append(text, 0, sign);
  ORTHROS_ASSIGN(const Text digits, pad(text.slice(sign, text.size()), width - static_cast<int64_t>(sign),
                                        Text("0", Origin::templateText), Side::left));
  out.append(digits);
  return asValue(out.finish());
}

Result<Value> formatMethod(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  return formatBraces(textOf(self), arguments.spare(), interpreter.work());
}

constexpr Builtin textMethodTable[] = {
    {"strip", "chars?", stripMethod<Side::both>},
    {"lstrip", "chars?", stripMethod<Side::left>},
    {"rstrip", "chars?", stripMethod<Side::right>},
    {"split", "sep? maxsplit?", splitMethod<Side::left>},
    {"rsplit", "sep? maxsplit?", splitMethod<Side::right>},
    {"splitlines", "keepends?", splitlinesMethod},
    {"partition", "sep", partitionMethod<Side::left>},
    {"rpartition", "sep", partitionMethod<Side::right>},
    {"replace", "old new count?", replaceMethod},
    {"upper", "", caseMethod<toUpper>},
    {"lower", "", caseMethod<toLower>},
    {"title", "", caseMethod<toTitle>},
    {"capitalize", "", caseMethod<toCapitalized>},
    {"join", "iterable", joinMethod},
    {"removeprefix", "prefix", removeprefixMethod},
    {"removesuffix", "suffix", removesuffixMethod},
    {"ljust", "width fillchar?", padMethod<Side::right>},
    {"rjust", "width fillchar?", padMethod<Side::left>},
    {"center", "width fillchar?", padMethod<Side::both>},
    {"zfill", "width", zfillMethod},
    {"format", "*", formatMethod},
};

}  // namespace

std::span<const Builtin> textMethods() {
  return textMethodTable;
}

}  // namespace orthros::text::jinja
