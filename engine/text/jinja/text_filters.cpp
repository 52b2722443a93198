// Filters that give texts. Like Jinja's they take any value and work on its str().
#include <algorithm>

#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/format.hpp"
#include "engine/text/jinja/print.hpp"
#include "engine/text/jinja/text_operations.hpp"

namespace orthros::text::jinja {
namespace {

Result<Value> stringFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  return asValue(toText(self, interpreter.work()));
}

template <std::string (*change)(std::string_view)>
Result<Value> caseFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const Text text, toText(self, interpreter.work()));
  return Value(Text::derived(change(text.bytes()), {&text}));
}

// The title filter, unlike str.title, starts words only behind white space, hyphens and opening brackets.
std::string titleWords(std::string_view text) {
  std::string result;
  bool atStart = true;
  for (size_t at = 0; at < text.size();) {
    const Character character = characterAt(text, at);
    const std::string_view bytes = text.substr(at, character.size);
    result += atStart ? toUpper(bytes) : toLower(bytes);
    atStart = isSpace(character.codePoint) || bytes.find_first_of("-({[<") != std::string_view::npos;
    at += character.size;
  }
  return result;
}

Result<Value> trimFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text text, toText(self, interpreter.work()));
  std::optional<Text> characters;
  if (!arguments.absent(0)) {
    ORTHROS_ASSIGN(characters, arguments.text(0));
  }
  return Value(strip(text, characters, Side::both));
}

Result<Value> replaceFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  Work& work = interpreter.work();
  ORTHROS_ASSIGN(const Text text, toText(self, work));
  ORTHROS_ASSIGN(const Text from, toText(arguments.required(0), work));
  ORTHROS_ASSIGN(const Text to, toText(arguments.required(1), work));
  int64_t limit = -1;
  if (!arguments.absent(2)) {
    ORTHROS_ASSIGN(limit, arguments.integer(2, -1));
  }
  return asValue(replace(text, from, to, limit, work));
}

Result<Value> joinFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  Work& work = interpreter.work();
  ORTHROS_ASSIGN(auto items, iterate(self, work));
  if (!arguments.absent(1)) {
    auto picked = std::make_shared<Sequence>();
    for (const Value& item : items->items) {
      ORTHROS_ASSIGN(Value value, getPath(item, arguments.required(1)));
      picked->items.push_back(std::move(value));
    }
    items = std::move(picked);
  }
  ORTHROS_ASSIGN(const Text separator,
                 arguments.at(0) != nullptr ? toText(*arguments.at(0), work) : Result<Text>(Text()));
  return asValue(join(separator, *items, work));
}

// `width` of the indent filter and `indent` of tojson: a number of spaces or a text.
Result<Text> indentation(const Value& width) {
  if (const auto* text = width.as<Text>()) return *text;
  const auto count = integerOf(width);
  if (!count)
    return failRender("an indentation must be an int or a str, not " + std::string(width.typeName()));
  TextBuilder spaces;
  spaces.repeat(Text(" ", Origin::templateText), static_cast<uint64_t>(std::max<int64_t>(*count, 0)));
  return spaces.finish();
}

Result<Value> indentFilter(Interpreter&, const Value& self, const Bound& arguments) {
  const auto* text = self.as<Text>();
  if (text == nullptr) return failRender("indent works on str, not " + std::string(self.typeName()));
  ORTHROS_ASSIGN(const Text indent,
                 indentation(arguments.at(0) != nullptr ? *arguments.at(0) : Value(int64_t{4})));
  const bool blank = arguments.truth(2, false);
  TextBuilder withEnd;
  withEnd.append(*text);
  withEnd.append("\n");
  ORTHROS_ASSIGN(const Text ended, withEnd.finish());
  const std::vector<Text> lines = splitLines(ended, false);
  TextBuilder out;
  if (arguments.truth(1, false)) out.append(indent);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.append("\n");
    if (i > 0 && (blank || !lines[i].empty())) out.append(indent);
    out.append(lines[i]);
  }
  return asValue(out.finish());
}

Result<Value> centerFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text text, toText(self, interpreter.work()));
  ORTHROS_ASSIGN(const int64_t width, arguments.integer(0, 80));
  return asValue(pad(text, width, Text(" ", Origin::templateText), Side::both));
}

Result<Value> truncateFilter(Interpreter&, const Value& self, const Bound& arguments) {
  const auto* text = self.as<Text>();
  if (text == nullptr) return failRender("truncate works on str, not " + std::string(self.typeName()));
  ORTHROS_ASSIGN(const int64_t length, arguments.integer(0, 255));
  ORTHROS_ASSIGN(const Text end, arguments.text(2, "..."));
  ORTHROS_ASSIGN(const int64_t leeway, arguments.absent(3) ? Result<int64_t>(5) : arguments.integer(3, 5));
  const auto room = length - static_cast<int64_t>(countCharacters(end.bytes()));
  if (room < 0 || leeway < 0) return failRender("truncate has no room for its ending");
  const auto size = static_cast<int64_t>(countCharacters(text->bytes()));
  if (size <= length || size - length <= leeway) return self;
  Text kept = text->slice(0, characterOffset(text->bytes(), static_cast<size_t>(room)));
  if (!arguments.truth(1, false)) kept = split(kept, " ", 1, Side::right).front();
  TextBuilder out;
  out.append(kept);
  out.append(end);
  return asValue(out.finish());
}

Result<Value> escapeFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const Text text, toText(self, interpreter.work()));
  TextBuilder out;
  text.forEachRun([&out](std::string_view run, Origin origin) {
    for (const char& c : run) {
      switch (c) {
        case '&':
          out.append("&amp;", origin);
          break;
        case '<':
          out.append("&lt;", origin);
          break;
        case '>':
          out.append("&gt;", origin);
          break;
        case '"':
          out.append("&#34;", origin);
          break;
        case '\'':
          out.append("&#39;", origin);
          break;
        default:
          out.append(std::string_view(&c, 1), origin);
      }
    }
  });
  return asValue(out.finish());
}

Result<Value> formatFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text pattern, toText(self, interpreter.work()));
  const Arguments& given = arguments.spare();
  if (given.named.empty()) {
    ORTHROS_ASSIGN(const Value values, makeSequence(SequenceKind::tuple, given.positional));
    return formatPercent(pattern, values, interpreter.work());
  }
  if (!given.positional.empty()) return failRender("format takes either positional or keyword arguments");
  std::vector<Mapping::Entry> entries;
  for (const auto& [name, value] : given.named) entries.emplace_back(makeText(name), value);
  ORTHROS_ASSIGN(const Value values, makeMapping(std::move(entries)));
  return formatPercent(pattern, values, interpreter.work());
}

// As chat templates know it (the transformers library): json.dumps without escaping for HTML.
Result<Value> tojsonFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  JsonStyle style;
  style.asciiOnly = arguments.truth(0, false);
  style.sortKeys = arguments.truth(3, false);
  if (!arguments.absent(1)) {
    ORTHROS_ASSIGN(style.indent, indentation(arguments.required(1)));
  }
  style.itemSeparator = Text(style.indent ? "," : ", ", Origin::templateText);
  style.keySeparator = Text(": ", Origin::templateText);
  if (!arguments.absent(2)) {
    ORTHROS_ASSIGN(const auto separators, iterate(arguments.required(2), interpreter.work()));
    if (separators->items.size() != 2) return failRender("tojson needs two separators");
    const auto* item = separators->items[0].as<Text>();
    const auto* key = separators->items[1].as<Text>();
    if (item == nullptr || key == nullptr) return failRender("the separators of tojson must be str");
    style.itemSeparator = *item;
    style.keySeparator = *key;
  }
  return asValue(toJson(self, style, interpreter.work()));
}

Result<Value> wordcountFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const Text text, toText(self, interpreter.work()));
  int64_t words = 0;
  bool inside = false;
  for (size_t at = 0; at < text.size();) {
    const Character character = characterAt(text.bytes(), at);
    const bool part = isNamePart(character.codePoint);
    words += part && !inside ? 1 : 0;
    inside = part;
    at += character.size;
  }
  return Value(words);
}

constexpr Builtin textFilterTable[] = {
    {"string", "", stringFilter},
    {"safe", "", stringFilter},
    {"upper", "", caseFilter<toUpper>},
    {"lower", "", caseFilter<toLower>},
    {"title", "", caseFilter<titleWords>},
    {"capitalize", "", caseFilter<toCapitalized>},
    {"trim", "chars?", trimFilter},
    {"replace", "old new count?", replaceFilter},
    {"join", "d? attribute?", joinFilter},
    {"indent", "width? first? blank?", indentFilter},
    {"center", "width?", centerFilter},
    {"truncate", "length? killwords? end? leeway?", truncateFilter},
    {"escape", "", escapeFilter},
    {"e", "", escapeFilter},
    {"forceescape", "", escapeFilter},
    {"format", "*", formatFilter},
    {"tojson", "ensure_ascii? indent? separators? sort_keys?", tojsonFilter},
    {"wordcount", "", wordcountFilter},
};

}  // namespace

std::span<const Builtin> textFilters() {
  return textFilterTable;
}

}  // namespace orthros::text::jinja
