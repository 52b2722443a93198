// Python's arithmetic operators on template values: numbers, and + * % on strings and lists.
#pragma once

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

enum class BinaryOperator : uint8_t { add, subtract, multiply, divide, floorDivide, modulo, power };

// Errors: operand types that do not fit, an undefined operand, division by zero, a result beyond 64 bits.
Result<Value> calculate(BinaryOperator op, const Value& left, const Value& right, Work& work);
Result<Value> negate(const Value& value);
Result<Value> affirm(const Value& value);  // unary +

// The number nearest to `number` with `digits` decimals, ties as Python's round().
double roundTo(double number, int64_t digits);

// An error if the value is undefined: its reason.
Status requireDefined(const Value& value);

}  // namespace orthros::text::jinja
