#include "engine/text/jinja/print.hpp"

#include <charconv>
#include <cmath>

#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/loop.hpp"

namespace orthros::text::jinja {
namespace {

std::string hexEscape(char kind, uint32_t codePoint, int digits) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string escape = {'\\', kind};
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) escape += hex[(codePoint >> shift) & 15];
  return escape;
}

std::string reprCharacter(std::string_view bytes, int32_t codePoint, char quote) {
  if (codePoint < 0) return hexEscape('x', static_cast<uint8_t>(bytes.front()), 2);
  if (codePoint == '\\' || codePoint == quote) return "\\" + std::string(bytes);
  if (codePoint == '\n') return "\\n";
  if (codePoint == '\r') return "\\r";
  if (codePoint == '\t') return "\\t";
  if (isPrintable(codePoint)) return std::string(bytes);
  const auto value = static_cast<uint32_t>(codePoint);
  if (value < 0x100) return hexEscape('x', value, 2);
  return value < 0x10000 ? hexEscape('u', value, 4) : hexEscape('U', value, 8);
}

void reprText(const Text& text, TextBuilder& out) {
  const bool single = text.bytes().find('\'') == std::string_view::npos;
  const char quote = single || text.bytes().find('"') != std::string_view::npos ? '\'' : '"';
  out.append(std::string_view(&quote, 1));
  text.forEachRun([&](std::string_view run, Origin origin) {
    for (size_t at = 0; at < run.size();) {
      const Character character = characterAt(run, at);
      out.append(reprCharacter(run.substr(at, character.size), character.codePoint, quote), origin);
      at += character.size;
    }
  });
  out.append(std::string_view(&quote, 1));
}

// Writes repr(value); strings at the top level may be written plainly, as str() does.
class Printer {
 public:
  Printer(TextBuilder& out, Work& work) : out_(out), work_(work) {}

  Status write(const Value& value) {
    ORTHROS_TRY(work_.charge(1));
    if (out_.overflowed()) return {};  // finish() reports it
    if (const auto* text = value.as<Text>()) {
      ORTHROS_TRY(work_.charge(text->size() / 16));
      reprText(*text, out_);
      return {};
    }
    if (const auto* sequence = value.asSequence()) return writeSequence(*sequence);
    if (const auto* mapping = value.asMapping()) return writeEntries(mapping->entries);
    if (const auto* space = value.asNamespace()) return writeNamespace(*space);
    return writeScalar(value);
  }

 private:
  Status writeScalar(const Value& value) {
    if (value.isUndefined()) {
      out_.append("Undefined");
    } else if (value.isNone()) {
      out_.append("None");
    } else if (const auto* boolean = value.as<bool>()) {
      out_.append(*boolean ? "True" : "False");
    } else if (const auto* integer = value.as<int64_t>()) {
      out_.append(std::to_string(*integer));
    } else if (const auto* number = value.as<double>()) {
      out_.append(floatText(*number));
    } else if (const auto* callable = value.asCallable()) {
      out_.append("<" + std::string(callable->typeName) + " " + callable->name + ">");
    } else if (auto* loop = value.asLoop()) {
      ORTHROS_ASSIGN(const int64_t length, loop->length());
      out_.append("<LoopContext " + std::to_string(loop->index0() + 1) + "/" + std::to_string(length) + ">");
    }
    return {};
  }

  Status writeSequence(const Sequence& sequence) {
    switch (sequence.kind) {
      case SequenceKind::list:
        return writeItems("[", sequence, "]");
      case SequenceKind::tuple:
        return writeItems("(", sequence, sequence.items.size() == 1 ? ",)" : ")");
      case SequenceKind::generator:
        out_.append("<generator object>");
        return {};
      case SequenceKind::keysView:
        return writeItems("dict_keys([", sequence, "])");
      case SequenceKind::valuesView:
        return writeItems("dict_values([", sequence, "])");
      case SequenceKind::itemsView:
        return writeItems("dict_items([", sequence, "])");
    }
    return {};
  }

  Status writeItems(std::string_view open, const Sequence& sequence, std::string_view close) {
    out_.append(open);
    for (size_t i = 0; i < sequence.items.size(); ++i) {
      if (i > 0) out_.append(", ");
      ORTHROS_TRY(write(sequence.items[i]));
    }
    out_.append(close);
    return {};
  }

  Status writeEntries(const std::vector<Mapping::Entry>& entries) {
    out_.append("{");
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_.append(", ");
      ORTHROS_TRY(write(entries[i].first));
      out_.append(": ");
      ORTHROS_TRY(write(entries[i].second));
    }
    out_.append("}");
    return {};
  }

  // Namespaces may hold each other, so their nesting is counted here.
  Status writeNamespace(const Namespace& space) {
    if (++namespaces_ > maxValueDepth) return failRender("the namespace holds itself");
    std::vector<Mapping::Entry> entries;
    for (const auto& [name, value] : space.attributes) entries.emplace_back(makeText(name), value);
    out_.append("<Namespace ");
    ORTHROS_TRY(writeEntries(entries));
    out_.append(">");
    --namespaces_;
    return {};
  }

  TextBuilder& out_;
  Work& work_;
  uint32_t namespaces_ = 0;
};

}  // namespace

Result<Text> toRepr(const Value& value, Work& work) {
  TextBuilder out;
  ORTHROS_TRY(Printer(out, work).write(value));
  return out.finish();
}

Result<Text> toText(const Value& value, Work& work) {
  if (const auto* text = value.as<Text>()) return *text;
  if (value.isUndefined()) return Text();
  return toRepr(value, work);
}

std::string floatText(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char buffer[64];
  const double magnitude = std::abs(number);
  const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, format).ptr;
  std::string text(buffer, end);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace orthros::text::jinja
