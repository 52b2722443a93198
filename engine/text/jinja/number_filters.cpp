// Filters that give numbers, and `default`.
#include <charconv>
#include <cmath>

#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/arithmetic.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/text_operations.hpp"

namespace orthros::text::jinja {
namespace {

// `text` as Python's int() and float() read it: white space around it, "_" between digits, a sign.
std::optional<std::string> numberLiteral(const Text& text) {
  const Text stripped = strip(text, std::nullopt, Side::both);
  const std::string_view bytes = stripped.bytes();
  std::string literal;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '_') {
      literal += bytes[i];
      continue;
    }
    const bool between = i > 0 && i + 1 < bytes.size() &&
                         std::isalnum(static_cast<unsigned char>(bytes[i - 1])) &&
                         std::isalnum(static_cast<unsigned char>(bytes[i + 1]));
    if (!between) return std::nullopt;
  }
  if (literal.starts_with('+') && !literal.starts_with("+-")) literal.erase(0, 1);
  if (literal.empty()) return std::nullopt;
  return literal;
}

// Nothing where `literal` is no integer; the error of overflow where it is one beyond 64 bits.
Result<std::optional<int64_t>> readInteger(std::string literal, int base) {
  const bool negative = literal.starts_with('-');
  const std::string_view prefix = base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
  if (!prefix.empty() && toLower(literal).substr(negative ? 1 : 0).starts_with(prefix)) {
    literal.erase(negative ? 1 : 0, 2);
  }
  int64_t value = 0;
  const auto [end, code] = std::from_chars(literal.data(), literal.data() + literal.size(), value, base);
  if (end != literal.data() + literal.size() || code == std::errc::invalid_argument) return std::nullopt;
  if (code == std::errc::result_out_of_range) {
    return fail(ErrorCode::unsupported, "", "reads an integer beyond 64 bits");
  }
  return value;
}

std::optional<double> readFloat(const std::string& literal) {
  const std::string lower = toLower(literal);
  const std::string_view magnitude = std::string_view(lower).substr(lower.starts_with('-') ? 1 : 0);
  if (magnitude.starts_with("nan(")) return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (end != lower.data() + lower.size() || code == std::errc::invalid_argument) return std::nullopt;
  if (code == std::errc::result_out_of_range) {
    const bool tiny = lower.find("e-") != std::string::npos;
    value = tiny ? 0.0 : HUGE_VAL;
    if (lower.starts_with('-')) value = -value;
  }
  return value;
}

Result<Value> truncated(double number) {
  if (std::abs(number) >= 9.2e18)
    return fail(ErrorCode::unsupported, "", "computes an integer beyond 64 bits");
  return Value(static_cast<int64_t>(number));
}

Result<Value> intFilter(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_TRY(requireDefined(self));
  const Value otherwise = arguments.at(0) != nullptr ? *arguments.at(0) : Value(int64_t{0});
  if (const auto integer = integerOf(self)) return Value(*integer);
  if (const auto* number = self.as<double>()) {
    if (std::isnan(*number)) return otherwise;
    if (std::isinf(*number)) return failRender("infinity is no int");
    return truncated(*number);
  }
  const auto* text = self.as<Text>();
  const auto literal = text != nullptr ? numberLiteral(*text) : std::nullopt;
  if (!literal) return otherwise;
  ORTHROS_ASSIGN(const int64_t base, arguments.integer(1, 10));
  if (base < 2 || base > 36) return failRender("the base of int must lie between 2 and 36");
  ORTHROS_ASSIGN(const auto integer, readInteger(*literal, static_cast<int>(base)));
  if (integer) return Value(*integer);
  const auto number = readFloat(*literal);
  if (!number || !std::isfinite(*number)) return otherwise;
  return truncated(*number);
}

Result<Value> floatFilter(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_TRY(requireDefined(self));
  if (const auto integer = integerOf(self)) return Value(static_cast<double>(*integer));
  if (self.as<double>() != nullptr) return self;
  const auto* text = self.as<Text>();
  const auto literal = text != nullptr ? numberLiteral(*text) : std::nullopt;
  const auto number = literal ? readFloat(*literal) : std::nullopt;
  if (number) return Value(*number);
  return arguments.at(0) != nullptr ? *arguments.at(0) : Value(0.0);
}

Result<Value> absFilter(Interpreter&, const Value& self, const Bound&) {
  ORTHROS_TRY(requireDefined(self));
  if (const auto* number = self.as<double>()) return Value(std::abs(*number));
  const auto integer = integerOf(self);
  if (!integer) return failRender("abs works on numbers, not " + std::string(self.typeName()));
  return *integer < 0 ? negate(self) : Result<Value>(Value(*integer));
}

Result<Value> roundFilter(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_TRY(requireDefined(self));
  ORTHROS_ASSIGN(const int64_t digits, arguments.integer(0, 0));
  ORTHROS_ASSIGN(const Text method, arguments.text(1, "common"));
  const auto integer = integerOf(self);
  const auto* number = self.as<double>();
  if (!integer && number == nullptr)
    return failRender("round works on numbers, not " + std::string(self.typeName()));
  const double value = integer ? static_cast<double>(*integer) : *number;
  if (method.bytes() == "common") {
    if (integer && digits >= 0) return Value(*integer);
    return integer ? truncated(roundTo(value, digits)) : Result<Value>(Value(roundTo(value, digits)));
  }
  if (method.bytes() != "ceil" && method.bytes() != "floor") {
    return failRender("the method of round is common, ceil or floor");
  }
  const double scale = std::pow(10.0, static_cast<double>(digits));
  return Value((method.bytes() == "ceil" ? std::ceil(value * scale) : std::floor(value * scale)) / scale);
}

Result<Value> lengthFilter(Interpreter&, const Value& self, const Bound&) {
  if (const auto* text = self.as<Text>()) return Value(static_cast<int64_t>(countCharacters(text->bytes())));
  if (const auto* mapping = self.asMapping()) return Value(static_cast<int64_t>(mapping->entries.size()));
  if (self.isUndefined()) return Value(int64_t{0});
  const auto* sequence = self.asSequence();
  if (sequence == nullptr || sequence->kind == SequenceKind::generator) {
    return failRender(std::string(self.typeName()) + " has no length");
  }
  return Value(static_cast<int64_t>(sequence->items.size()));
}

Result<Value> sumFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  Value sum = arguments.at(1) != nullptr ? *arguments.at(1) : Value(int64_t{0});
  for (const Value& item : items->items) {
    ORTHROS_ASSIGN(const Value part,
                   arguments.absent(0) ? Result<Value>(item) : getPath(item, arguments.required(0)));
    ORTHROS_ASSIGN(sum, calculate(BinaryOperator::add, sum, part, interpreter.work()));
  }
  return sum;
}

Result<Value> defaultFilter(Interpreter&, const Value& self, const Bound& arguments) {
  const bool replaced = self.isUndefined() || (arguments.truth(1, false) && !self.truth());
  if (!replaced) return self;
  return arguments.at(0) != nullptr ? *arguments.at(0) : Value(Text());
}

constexpr Builtin numberFilterTable[] = {
    {"int", "default? base?", intFilter},
    {"float", "default?", floatFilter},
    {"abs", "", absFilter},
    {"round", "precision? method?", roundFilter},
    {"length", "", lengthFilter},
    {"count", "", lengthFilter},
    {"sum", "attribute? start?", sumFilter},
    {"default", "default_value? boolean?", defaultFilter},
    {"d", "default_value? boolean?", defaultFilter},
};

}  // namespace

std::span<const Builtin> numberFilters() {
  return numberFilterTable;
}

}  // namespace orthros::text::jinja
