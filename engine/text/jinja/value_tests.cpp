// The tests behind `is`.
#include "engine/text/jinja/arithmetic.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/compare.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {
namespace {

bool isBoolean(const Value& value) {
  return value.as<bool>() != nullptr;
}
bool isTrue(const Value& value) {
  return isBoolean(value) && value.truth();
}
bool isFalse(const Value& value) {
  return isBoolean(value) && !value.truth();
}
bool isInteger(const Value& value) {
  return value.as<int64_t>() != nullptr;
}
bool isFloat(const Value& value) {
  return value.as<double>() != nullptr;
}
bool isNumber(const Value& value) {
  return isBoolean(value) || isInteger(value) || isFloat(value);
}
bool isString(const Value& value) {
  return value.as<Text>() != nullptr;
}
bool isMapping(const Value& value) {
  return value.asMapping() != nullptr;
}
bool isUndefined(const Value& value) {
  return value.isUndefined();
}
bool isDefined(const Value& value) {
  return !value.isUndefined();
}
bool isNone(const Value& value) {
  return value.isNone();
}
bool isCallable(const Value& value) {
  return value.asCallable() != nullptr || value.isUndefined();
}
bool isEscaped(const Value&) {
  return false;
}

bool isIterable(const Value& value) {
  return isString(value) || isMapping(value) || value.asSequence() != nullptr || value.asLoop() != nullptr ||
         value.isUndefined();
}

// Has a length and can be indexed.
bool isSequence(const Value& value) {
  const auto* sequence = value.asSequence();
  return sequence != nullptr ? sequence->isIndexable()
                             : isString(value) || isMapping(value) || value.isUndefined();
}

template <bool (*holds)(const Value&)>
Result<Value> typeTest(Interpreter&, const Value& self, const Bound&) {
  return Value(holds(self));
}

template <int64_t remainder>
Result<Value> parityTest(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const Value rest,
                 calculate(BinaryOperator::modulo, self, Value(int64_t{2}), interpreter.work()));
  ORTHROS_ASSIGN(const bool same, equal(rest, Value(remainder), interpreter.work()));
  return Value(same);
}

Result<Value> divisiblebyTest(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Value rest,
                 calculate(BinaryOperator::modulo, self, arguments.required(0), interpreter.work()));
  ORTHROS_ASSIGN(const bool same, equal(rest, Value(int64_t{0}), interpreter.work()));
  return Value(same);
}

template <bool upper>
Result<Value> caseTest(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const Text text, toText(self, interpreter.work()));
  return Value(hasCase(text.bytes(), upper));
}

template <bool wanted>
Result<Value> equalTest(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const bool same, equal(self, arguments.required(0), interpreter.work()));
  return Value(same == wanted);
}

// self < other, or other < self where `swapped`; `negated` turns < into >=.
template <bool swapped, bool negated>
Result<Value> orderTest(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  const Value& other = arguments.required(0);
  ORTHROS_ASSIGN(const bool less,
                 lessThan(swapped ? other : self, swapped ? self : other, interpreter.work()));
  return Value(less != negated);
}

Result<Value> inTest(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const bool found, contains(arguments.required(0), self, interpreter.work()));
  return Value(found);
}

Result<Value> sameasTest(Interpreter&, const Value& self, const Bound& arguments) {
  return Value(self.identical(arguments.required(0)));
}

template <const Builtin* (*find)(std::string_view)>
Result<Value> existsTest(Interpreter&, const Value& self, const Bound&) {
  const auto* name = self.as<Text>();
  return Value(name != nullptr && find(name->bytes()) != nullptr);
}

constexpr Builtin valueTestTable[] = {
    {"defined", "", typeTest<isDefined>},
    {"undefined", "", typeTest<isUndefined>},
    {"none", "", typeTest<isNone>},
    {"boolean", "", typeTest<isBoolean>},
    {"true", "", typeTest<isTrue>},
    {"false", "", typeTest<isFalse>},
    {"integer", "", typeTest<isInteger>},
    {"float", "", typeTest<isFloat>},
    {"number", "", typeTest<isNumber>},
    {"string", "", typeTest<isString>},
    {"mapping", "", typeTest<isMapping>},
    {"iterable", "", typeTest<isIterable>},
    {"sequence", "", typeTest<isSequence>},
    {"callable", "", typeTest<isCallable>},
    {"escaped", "", typeTest<isEscaped>},
    {"odd", "", parityTest<1>},
    {"even", "", parityTest<0>},
    {"divisibleby", "num", divisiblebyTest},
    {"lower", "", caseTest<false>},
    {"upper", "", caseTest<true>},
    {"in", "seq", inTest},
    {"sameas", "other", sameasTest},
    {"filter", "", existsTest<findFilter>},
    {"test", "", existsTest<findTest>},
    {"eq", "other", equalTest<true>},
    {"equalto", "other", equalTest<true>},
    {"==", "other", equalTest<true>},
    {"ne", "other", equalTest<false>},
    {"!=", "other", equalTest<false>},
    {"lt", "other", orderTest<false, false>},
    {"lessthan", "other", orderTest<false, false>},
    {"<", "other", orderTest<false, false>},
    {"gt", "other", orderTest<true, false>},
    {"greaterthan", "other", orderTest<true, false>},
    {">", "other", orderTest<true, false>},
    {"le", "other", orderTest<true, true>},
    {"<=", "other", orderTest<true, true>},
    {"ge", "other", orderTest<false, true>},
    {">=", "other", orderTest<false, true>},
};

}  // namespace

std::span<const Builtin> valueTests() {
  return valueTestTable;
}

}  // namespace orthros::text::jinja
