#include "engine/gguf/value.hpp"

#include <algorithm>
#include <charconv>

#include "engine/gguf/utf8.hpp"

namespace orthros::gguf {
namespace {

template <class Number>
std::string numberText(Number number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return std::string(text, end);
}

std::string scalarText(bool value, size_t) {
  return value ? "true" : "false";
}
std::string scalarText(const std::string& value, size_t limit) {
  return value.size() <= limit ? value : value.substr(0, utf8Cut(value, limit)) + "...";
}
template <class Number>
requires std::is_arithmetic_v<Number> std::string scalarText(Number value, size_t) {
  return numberText(value);
}

template <class Element>
std::string arrayText(const std::vector<Element>& elements, size_t arrayLimit, size_t textLimit) {
  std::string text = "[";
  const size_t shown = std::min(arrayLimit, elements.size());
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += scalarText(elements[i], textLimit);
  }
  if (shown < elements.size()) text += (shown > 0 ? ", ... " : "") + numberText(elements.size()) + " in all";
  return text + "]";
}

}  // namespace

const char* typeName(uint32_t typeNumber) {
  static constexpr const char* names[] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                          "bool", "string", "array", "u64", "i64", "f64"};
  return typeNumber < std::size(names) ? names[typeNumber] : "unknown";
}

std::string typeName(const Value& value) {
  if (const auto* array = std::get_if<Array>(&value))
    return std::string(typeName(elementTypeNumber(*array))) + "[" + numberText(arraySize(*array)) + "]";
  return typeName(static_cast<uint32_t>(value.index()));
}

size_t arraySize(const Array& array) {
  return std::visit([](const auto& elements) { return elements.size(); }, array);
}

std::string toText(const Value& value, size_t arrayLimit, size_t textLimit) {
  if (const auto* array = std::get_if<Array>(&value))
    return std::visit([&](const auto& elements) { return arrayText(elements, arrayLimit, textLimit); },
                      *array);
  return std::visit(
      [&](const auto& scalar) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(scalar)>, Array>) {
          return {};
        } else {
          return scalarText(scalar, textLimit);
        }
      },
      value);
}

}  // namespace orthros::gguf
