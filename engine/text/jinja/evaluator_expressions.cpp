// The evaluator's expressions.
#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/compare.hpp"
#include "engine/text/jinja/evaluator.hpp"
#include "engine/text/jinja/lexer.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {

Result<Value> Evaluator::evaluate(const Expression& expression) {
  const Depth depth(*this);
  Status begun = depth.check();
  if (begun) begun = work_.charge(1);
  if (!begun) return fail(withLine(std::move(begun).error(), expression.line));
  auto result = std::visit([this](const auto& node) { return eval(node); }, expression.node);
  if (!result) return fail(withLine(std::move(result).error(), expression.line));
  return result;
}

Result<Value> Evaluator::eval(const Literal& node) {
  return node.value;
}

Result<Value> Evaluator::eval(const NameReference& node) {
  if (const Value* found = scope_->find(node.name)) return *found;
  const auto global = globals_.find(node.name);
  if (global != globals_.end()) return global->second;
  return Value::undefined("'" + node.name + "' is undefined");
}

Result<Value> Evaluator::eval(const SequenceLiteral& node) {
  std::vector<Value> items;
  items.reserve(node.items.size());
  for (const auto& item : node.items) {
    ORTHROS_ASSIGN(Value value, evaluate(*item));
    items.push_back(std::move(value));
  }
  return makeSequence(node.kind, std::move(items));
}

Result<Value> Evaluator::eval(const MappingLiteral& node) {
  std::vector<Mapping::Entry> entries;
  entries.reserve(node.entries.size());
  for (const auto& [key, value] : node.entries) {
    ORTHROS_ASSIGN(Value evaluatedKey, evaluate(*key));
    ORTHROS_ASSIGN(Value evaluatedValue, evaluate(*value));
    entries.emplace_back(std::move(evaluatedKey), std::move(evaluatedValue));
  }
  return makeMapping(std::move(entries));
}

Result<Value> Evaluator::eval(const AttributeAccess& node) {
  ORTHROS_ASSIGN(const Value object, evaluate(*node.object));
  return getAttribute(object, node.name);
}

Result<Value> Evaluator::eval(const ItemAccess& node) {
  ORTHROS_ASSIGN(const Value object, evaluate(*node.object));
  ORTHROS_ASSIGN(const Value key, evaluate(*node.key));
  return getItem(object, key);
}

Result<Value> Evaluator::eval(const SliceAccess& node) {
  ORTHROS_ASSIGN(const Value object, evaluate(*node.object));
  SliceBounds bounds;
  const std::pair<const ExpressionPtr&, Value&> parts[] = {
      {node.start, bounds.start}, {node.stop, bounds.stop}, {node.step, bounds.step}};
  for (const auto& [expression, bound] : parts) {
    if (!expression) continue;
    ORTHROS_ASSIGN(bound, evaluate(*expression));
  }
  return getSlice(object, bounds, work_);
}

Result<Value> Evaluator::eval(const UnaryOperation& node) {
  ORTHROS_ASSIGN(const Value operand, evaluate(*node.operand));
  switch (node.op) {
    case UnaryOperator::negate:
      return negate(operand);
    case UnaryOperator::affirm:
      return affirm(operand);
    case UnaryOperator::logicalNot:
      break;
  }
  return Value(!operand.truth());
}

Result<Value> Evaluator::eval(const BinaryOperation& node) {
  ORTHROS_ASSIGN(const Value left, evaluate(*node.left));
  ORTHROS_ASSIGN(const Value right, evaluate(*node.right));
  return calculate(node.op, left, right, work_);
}

Result<Value> Evaluator::eval(const LogicalOperation& node) {
  ORTHROS_ASSIGN(Value left, evaluate(*node.left));
  if (left.truth() != node.isAnd) return left;
  return evaluate(*node.right);
}

Result<bool> Evaluator::compare(CompareOperator op, const Value& left, const Value& right) {
  switch (op) {
    case CompareOperator::equal:
      return equal(left, right, work_);
    case CompareOperator::less:
      return lessThan(left, right, work_);
    case CompareOperator::greater:
      return lessThan(right, left, work_);
    case CompareOperator::in:
      return contains(right, left, work_);
    default:
      break;
  }
  Result<bool> opposite = false;
  if (op == CompareOperator::notEqual) opposite = equal(left, right, work_);
  if (op == CompareOperator::lessEqual) opposite = lessThan(right, left, work_);
  if (op == CompareOperator::greaterEqual) opposite = lessThan(left, right, work_);
  if (op == CompareOperator::notIn) opposite = contains(right, left, work_);
  if (!opposite) return opposite;
  return !*opposite;
}

Result<Value> Evaluator::eval(const Comparison& node) {
  ORTHROS_ASSIGN(Value left, evaluate(*node.first));
  for (const auto& [op, other] : node.others) {
    ORTHROS_ASSIGN(Value right, evaluate(*other));
    ORTHROS_ASSIGN(const bool holds, compare(op, left, right));
    if (!holds) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Result<Value> Evaluator::eval(const Concatenation& node) {
  TextBuilder out;
  for (const auto& piece : node.pieces) {
    ORTHROS_ASSIGN(const Value value, evaluate(*piece));
    ORTHROS_TRY(print(value, out));
  }
  return asValue(out.finish());
}

Result<Value> Evaluator::eval(const ConditionalExpression& node) {
  ORTHROS_ASSIGN(const Value condition, evaluate(*node.condition));
  if (condition.truth()) return evaluate(*node.chosen);
  if (node.otherwise) return evaluate(*node.otherwise);
  return Value::undefined("an inline if without else chose nothing");
}

Result<Value> Evaluator::eval(const CallExpression& node) {
  ORTHROS_ASSIGN(const Value callee, evaluate(*node.callee));
  ORTHROS_ASSIGN(Arguments arguments, evaluateArguments(node.arguments));
  return call(callee, std::move(arguments));
}

Result<Value> Evaluator::call(const Value& callee, Arguments arguments) {
  ORTHROS_TRY(requireDefined(callee));
  const auto* callable = callee.asCallable();
  if (callable == nullptr) return failRender(std::string(callee.typeName()) + " cannot be called");
  return callable->invoke(*this, std::move(arguments));
}

Status Evaluator::spreadNamed(const Value& mapping, Arguments& into) {
  const auto* held = mapping.asMapping();
  if (held == nullptr) return failRender("** needs a dict, not " + std::string(mapping.typeName()));
  for (const auto& [key, value] : held->entries) {
    const auto* name = key.as<Text>();
    if (name == nullptr) return failRender("** needs a dict whose keys are all str");
    into.named.emplace_back(std::string(name->bytes()), value);
  }
  return {};
}

Result<Arguments> Evaluator::evaluateArguments(const CallArguments& arguments) {
  Arguments evaluated;
  for (const auto& argument : arguments.positional) {
    ORTHROS_ASSIGN(Value value, evaluate(*argument));
    evaluated.positional.push_back(std::move(value));
  }
  if (arguments.spread) {
    ORTHROS_ASSIGN(const Value list, evaluate(*arguments.spread));
    ORTHROS_ASSIGN(const auto items, iterate(list, work_));
    ORTHROS_TRY(work_.charge(items->items.size()));
    evaluated.positional.insert(evaluated.positional.end(), items->items.begin(), items->items.end());
  }
  for (const auto& [name, argument] : arguments.named) {
    ORTHROS_ASSIGN(Value value, evaluate(*argument));
    evaluated.named.emplace_back(name, std::move(value));
  }
  if (arguments.namedSpread) {
    ORTHROS_ASSIGN(const Value mapping, evaluate(*arguments.namedSpread));
    ORTHROS_TRY(spreadNamed(mapping, evaluated));
  }
  return evaluated;
}

Result<Value> Evaluator::eval(const FilterExpression& node) {
  ORTHROS_ASSIGN(const Value target, evaluate(*node.target));
  ORTHROS_ASSIGN(Arguments arguments, evaluateArguments(node.filter.arguments));
  return applyFilter(node.filter.name, target, std::move(arguments));
}

Result<Value> Evaluator::eval(const TestExpression& node) {
  ORTHROS_ASSIGN(const Value target, evaluate(*node.target));
  ORTHROS_ASSIGN(Arguments arguments, evaluateArguments(node.arguments));
  ORTHROS_ASSIGN(const bool holds, applyTest(node.name, target, std::move(arguments)));
  return Value(holds);
}

Result<Value> Evaluator::applyFilter(std::string_view name, const Value& target, Arguments arguments) {
  const Depth depth(*this);
  ORTHROS_TRY(depth.check());
  ORTHROS_TRY(work_.charge(1));
  const Builtin* filter = findFilter(name);
  if (filter == nullptr)
    return fail(ErrorCode::unsupported, "", "the filter '" + std::string(name) + "' is unknown");
  return callBuiltin(*filter, *this, target, std::move(arguments));
}

Result<bool> Evaluator::applyTest(std::string_view name, const Value& target, Arguments arguments) {
  ORTHROS_TRY(work_.charge(1));
  const Builtin* test = findTest(name);
  if (test == nullptr)
    return fail(ErrorCode::unsupported, "", "the test '" + std::string(name) + "' is unknown");
  ORTHROS_ASSIGN(const Value holds, callBuiltin(*test, *this, target, std::move(arguments)));
  return holds.truth();
}

Result<Value> Evaluator::applyFilters(const std::vector<FilterUse>& filters, Value value) {
  for (const FilterUse& filter : filters) {
    ORTHROS_ASSIGN(Arguments arguments, evaluateArguments(filter.arguments));
    ORTHROS_ASSIGN(value, applyFilter(filter.name, value, std::move(arguments)));
  }
  return value;
}

}  // namespace orthros::text::jinja
