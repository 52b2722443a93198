#include "engine/text/jinja/arithmetic.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/text/jinja/format.hpp"

namespace orthros::text::jinja {
namespace {

constexpr std::string_view symbol(BinaryOperator op) {
  constexpr std::string_view symbols[] = {"+", "-", "*", "/", "//", "%", "**"};
  return symbols[static_cast<size_t>(op)];
}

tl::unexpected<Error> failOverflow() {
  return fail(ErrorCode::unsupported, "", "computes an integer beyond 64 bits");
}

tl::unexpected<Error> failOperands(BinaryOperator op, const Value& left, const Value& right) {
  return failRender(std::string(symbol(op)) + " cannot combine " + std::string(left.typeName()) + " and " +
                    std::string(right.typeName()));
}

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

Result<Value> integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) return failRender("zero has no negative power");
    return Value(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return failOverflow();
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return failOverflow();
  }
  return Value(result);
}

Result<Value> calculateIntegers(BinaryOperator op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case BinaryOperator::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case BinaryOperator::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case BinaryOperator::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case BinaryOperator::power:
      return integerPower(a, b);
    default:
      if (b == 0) return failRender("division by zero");
      if (op == BinaryOperator::divide) return Value(static_cast<double>(a) / static_cast<double>(b));
      if (b == -1) {  // the one quotient that can overflow
        if (op == BinaryOperator::modulo) return Value(int64_t{0});
        overflow = __builtin_sub_overflow(int64_t{0}, a, &result);
      } else {
        const int64_t quotient = floorDivide(a, b);
        result = op == BinaryOperator::modulo ? a - quotient * b : quotient;
      }
  }
  if (overflow) return failOverflow();
  return Value(result);
}

Result<Value> calculateFloats(BinaryOperator op, double a, double b) {
  switch (op) {
    case BinaryOperator::add:
      return Value(a + b);
    case BinaryOperator::subtract:
      return Value(a - b);
    case BinaryOperator::multiply:
      return Value(a * b);
    case BinaryOperator::power: {
      const double result = std::pow(a, b);
      if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
        return failRender("the power is not a real number");
      if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
        return failRender("the power is out of range");
      return Value(result);
    }
    default:
      break;
  }
  if (b == 0) return failRender("division by zero");
  if (op == BinaryOperator::divide) return Value(a / b);
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b;
  if (op == BinaryOperator::modulo) return Value(remainder == 0 ? std::copysign(0.0, b) : remainder);
  return Value(std::floor((a - remainder) / b + 0.5));
}

std::optional<double> floatOf(const Value& value) {
  if (const auto* number = value.as<double>()) return *number;
  if (const auto integer = integerOf(value)) return static_cast<double>(*integer);
  return std::nullopt;
}

Result<Value> addContainers(const Value& left, const Value& right, Work& work) {
  const auto* a = left.as<Text>();
  const auto* b = right.as<Text>();
  if (a != nullptr && b != nullptr) {
    ORTHROS_TRY(work.charge((a->size() + b->size()) / 16));
    TextBuilder builder;
    builder.append(*a);
    builder.append(*b);
    return asValue(builder.finish());
  }
  const auto* first = left.asSequence();
  const auto* second = right.asSequence();
  if (first == nullptr || second == nullptr || first->kind != second->kind || !first->isIndexable()) {
    return failOperands(BinaryOperator::add, left, right);
  }
  ORTHROS_TRY(work.charge(first->items.size() + second->items.size()));
  std::vector<Value> items = first->items;
  items.insert(items.end(), second->items.begin(), second->items.end());
  return makeSequence(first->kind, std::move(items));
}

Result<Value> repeatContainer(const Value& container, int64_t count, Work& work) {
  const auto times = static_cast<uint64_t>(std::max<int64_t>(count, 0));
  if (const auto* text = container.as<Text>()) {
    TextBuilder builder;
    builder.repeat(*text, times);
    ORTHROS_TRY(work.charge(builder.size() / 16));
    return asValue(builder.finish());
  }
  const auto* sequence = container.asSequence();
  if (sequence == nullptr || !sequence->isIndexable()) {
    return failOperands(BinaryOperator::multiply, container, Value(count));
  }
  std::vector<Value> items;
  for (uint64_t i = 0; i < times && !sequence->items.empty() && items.size() <= maxSequenceItems; ++i) {
    items.insert(items.end(), sequence->items.begin(), sequence->items.end());
  }
  ORTHROS_TRY(work.charge(items.size()));
  return makeSequence(sequence->kind, std::move(items));
}

}  // namespace

Status requireDefined(const Value& value) {
  if (const auto* undefined = value.as<Undefined>()) return failRender(*undefined->reason);
  return {};
}

Result<Value> calculate(BinaryOperator op, const Value& left, const Value& right, Work& work) {
  ORTHROS_TRY(requireDefined(left));
  const auto* pattern = left.as<Text>();
  if (op == BinaryOperator::modulo && pattern != nullptr) return formatPercent(*pattern, right, work);
  ORTHROS_TRY(requireDefined(right));
  const auto a = integerOf(left);
  const auto b = integerOf(right);
  if (a && b) return calculateIntegers(op, *a, *b);
  const auto x = floatOf(left);
  const auto y = floatOf(right);
  if (x && y) return calculateFloats(op, *x, *y);
  if (op == BinaryOperator::add) return addContainers(left, right, work);
  if (op == BinaryOperator::multiply && b) return repeatContainer(left, *b, work);
  if (op == BinaryOperator::multiply && a) return repeatContainer(right, *a, work);
  return failOperands(op, left, right);
}

Result<Value> negate(const Value& value) {
  ORTHROS_TRY(requireDefined(value));
  if (const auto integer = integerOf(value)) return calculateIntegers(BinaryOperator::subtract, 0, *integer);
  if (const auto* number = value.as<double>()) return Value(-*number);
  return failRender(std::string(value.typeName()) + " cannot be negated");
}

Result<Value> affirm(const Value& value) {
  ORTHROS_TRY(requireDefined(value));
  if (const auto integer = integerOf(value)) return Value(*integer);
  if (value.as<double>() != nullptr) return value;
  return failRender(std::string(value.typeName()) + " cannot have a sign");
}

double roundTo(double number, int64_t digits) {
  if (!std::isfinite(number)) return number;
  if (digits < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-std::max<int64_t>(digits, -400)));
    return std::isinf(scale) ? 0.0 * number : std::nearbyint(number / scale) * scale;
  }
  if (digits > 30) return number;
  // The exact decimal expansion, rounded once: half to even only for exact ties, as Python does.
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed,
                                 static_cast<int>(digits))
                       .ptr;
  double rounded = number;
  std::from_chars(buffer, end, rounded);
  return rounded;
}

}  // namespace orthros::text::jinja
