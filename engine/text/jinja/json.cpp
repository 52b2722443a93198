#include <algorithm>
#include <cmath>

#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/compare.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, TextBuilder& out, Work& work) : style_(style), out_(out), work_(work) {}

  Status write(const Value& value) {
    ORTHROS_TRY(work_.charge(1));
    if (out_.overflowed()) return {};  // finish() reports it
    if (const auto* text = value.as<Text>()) return writeText(*text);
    if (const auto* mapping = value.asMapping()) return writeMapping(*mapping);
    const auto* sequence = value.asSequence();
    if (sequence != nullptr && sequence->isIndexable()) return writeSequence(*sequence);
    ORTHROS_ASSIGN(const std::string scalar, scalarText(value));
    out_.append(scalar);
    return {};
  }

 private:
  static Result<std::string> scalarText(const Value& value) {
    if (value.isNone()) return std::string("null");
    if (const auto* boolean = value.as<bool>()) return std::string(*boolean ? "true" : "false");
    if (const auto* integer = value.as<int64_t>()) return std::to_string(*integer);
    if (const auto* number = value.as<double>()) {
      if (std::isnan(*number)) return std::string("NaN");
      if (std::isinf(*number)) return std::string(*number < 0 ? "-Infinity" : "Infinity");
      return floatText(*number);
    }
    return failRender("JSON has no form for " + std::string(value.typeName()));
  }

  Status writeText(const Text& text) {
    ORTHROS_TRY(work_.charge(text.size() / 16));
    out_.append("\"");
    text.forEachRun([this](std::string_view run, Origin origin) {
      for (size_t at = 0; at < run.size();) {
        const Character character = characterAt(run, at);
        writeCharacter(run.substr(at, character.size), character.codePoint, origin);
        at += character.size;
      }
    });
    out_.append("\"");
    return {};
  }

  void writeCharacter(std::string_view bytes, int32_t c, Origin origin) {
    switch (c) {
      case '"':
        return out_.append("\\\"", origin);
      case '\\':
        return out_.append("\\\\", origin);
      case '\n':
        return out_.append("\\n", origin);
      case '\r':
        return out_.append("\\r", origin);
      case '\t':
        return out_.append("\\t", origin);
      case '\b':
        return out_.append("\\b", origin);
      case '\f':
        return out_.append("\\f", origin);
      default:
        break;
    }
    if (c >= 0x10000 && style_.asciiOnly) {
      writeUnicodeEscape(0xd7c0 + (static_cast<uint32_t>(c) >> 10), origin);
      writeUnicodeEscape(0xdc00 + (static_cast<uint32_t>(c) & 0x3ff), origin);
    } else if (c >= 0 && (c < 0x20 || (style_.asciiOnly && c > 0x7e))) {
      writeUnicodeEscape(static_cast<uint32_t>(c), origin);
    } else {
      out_.append(bytes, origin);
    }
  }

  void writeUnicodeEscape(uint32_t unit, Origin origin) {
    static constexpr char hex[] = "0123456789abcdef";
    const char escape[] = {'\\',          'u', hex[unit >> 12], hex[(unit >> 8) & 15], hex[(unit >> 4) & 15],
                           hex[unit & 15]};
    out_.append(std::string_view(escape, sizeof escape), origin);
  }

  void startLine() {
    if (!style_.indent) return;
    out_.append("\n");
    out_.repeat(*style_.indent, level_);
  }

  Status writeSequence(const Sequence& sequence) {
    if (sequence.items.empty()) return out_.append("[]"), Status{};
    out_.append("[");
    ++level_;
    for (size_t i = 0; i < sequence.items.size(); ++i) {
      if (i > 0) out_.append(style_.itemSeparator);
      startLine();
      ORTHROS_TRY(write(sequence.items[i]));
    }
    --level_;
    startLine();
    out_.append("]");
    return {};
  }

  Status writeKey(const Value& key) {
    if (const auto* text = key.as<Text>()) return writeText(*text);
    ORTHROS_ASSIGN(const std::string scalar, scalarText(key));
    out_.append("\"" + scalar + "\"");
    return {};
  }

  Result<std::vector<const Mapping::Entry*>> ordered(const Mapping& mapping) {
    std::vector<const Mapping::Entry*> entries;
    for (const auto& entry : mapping.entries) entries.push_back(&entry);
    if (!style_.sortKeys) return entries;
    Status status;
    std::stable_sort(entries.begin(), entries.end(), [&](const auto* a, const auto* b) {
      if (!status) return false;
      const auto less = lessThan(a->first, b->first, work_);
      if (!less) status = tl::make_unexpected(less.error());
      return less && *less;
    });
    ORTHROS_TRY(std::move(status));
    return entries;
  }

  Status writeMapping(const Mapping& mapping) {
    if (mapping.entries.empty()) return out_.append("{}"), Status{};
    ORTHROS_ASSIGN(const auto entries, ordered(mapping));
    out_.append("{");
    ++level_;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_.append(style_.itemSeparator);
      startLine();
      ORTHROS_TRY(writeKey(entries[i]->first));
      out_.append(style_.keySeparator);
      ORTHROS_TRY(write(entries[i]->second));
    }
    --level_;
    startLine();
    out_.append("}");
    return {};
  }

  const JsonStyle& style_;
  TextBuilder& out_;
  Work& work_;
  uint32_t level_ = 0;
};

}  // namespace

Result<Text> toJson(const Value& value, const JsonStyle& style, Work& work) {
  TextBuilder out;
  ORTHROS_TRY(JsonWriter(style, out, work).write(value));
  return out.finish();
}

}  // namespace orthros::text::jinja
