// A parsed template: expressions and statements as plain data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "engine/text/jinja/arithmetic.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// Each node lists its subexpressions in parts(), from which its height is found.
struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr spread;       // *list
  ExpressionPtr namedSpread;  // **dict
  auto parts() const { return std::tie(positional, named, spread, namedSpread); }
};

struct Literal {
  Value value;  // a scalar
  auto parts() const { return std::tie(); }
};

struct NameReference {
  std::string name;
  auto parts() const { return std::tie(); }
};

struct SequenceLiteral {
  SequenceKind kind = SequenceKind::list;
  std::vector<ExpressionPtr> items;
  auto parts() const { return std::tie(items); }
};

struct MappingLiteral {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
  auto parts() const { return std::tie(entries); }
};

struct AttributeAccess {
  ExpressionPtr object;
  std::string name;
  auto parts() const { return std::tie(object); }
};

struct ItemAccess {
  ExpressionPtr object, key;
  auto parts() const { return std::tie(object, key); }
};

struct SliceAccess {
  ExpressionPtr object;
  ExpressionPtr start, stop, step;  // each may be absent
  auto parts() const { return std::tie(object, start, stop, step); }
};

enum class UnaryOperator : uint8_t { negate, affirm, logicalNot };

struct UnaryOperation {
  UnaryOperator op = UnaryOperator::negate;
  ExpressionPtr operand;
  auto parts() const { return std::tie(operand); }
};

struct BinaryOperation {
  BinaryOperator op = BinaryOperator::add;
  ExpressionPtr left, right;
  auto parts() const { return std::tie(left, right); }
};

// `and`, `or`: give one of their operands.
struct LogicalOperation {
  bool isAnd = true;
  ExpressionPtr left, right;
  auto parts() const { return std::tie(left, right); }
};

enum class CompareOperator : uint8_t { equal, notEqual, less, lessEqual, greater, greaterEqual, in, notIn };

// a < b < c compares neighbours.
struct Comparison {
  ExpressionPtr first;
  std::vector<std::pair<CompareOperator, ExpressionPtr>> others;
  auto parts() const { return std::tie(first, others); }
};

struct Concatenation {
  std::vector<ExpressionPtr> pieces;
  auto parts() const { return std::tie(pieces); }
};

struct ConditionalExpression {
  ExpressionPtr condition, chosen;
  ExpressionPtr otherwise;  // may be absent: undefined
  auto parts() const { return std::tie(condition, chosen, otherwise); }
};

struct CallExpression {
  ExpressionPtr callee;
  CallArguments arguments;
  auto parts() const { return std::tie(callee, arguments); }
};

struct FilterUse {
  int line = 1;
  std::string name;
  CallArguments arguments;
  auto parts() const { return std::tie(arguments); }
};

struct FilterExpression {
  ExpressionPtr target;
  FilterUse filter;
  auto parts() const { return std::tie(target, filter); }
};

struct TestExpression {
  ExpressionPtr target;
  std::string name;
  CallArguments arguments;
  auto parts() const { return std::tie(target, arguments); }
};

struct Expression {
  using Node =
      std::variant<Literal, NameReference, SequenceLiteral, MappingLiteral, AttributeAccess, ItemAccess,
                   SliceAccess, UnaryOperation, BinaryOperation, LogicalOperation, Comparison, Concatenation,
                   ConditionalExpression, CallExpression, FilterExpression, TestExpression>;
  int line = 1;
  uint32_t height = 1;  // 1 + that of the highest part
  Node node;
};

struct Statement;
using Block = std::vector<Statement>;

// Where set and for put a value: a name, a namespace's attribute, or several of these.
struct Target {
  int line = 1;
  std::string name;
  std::string attribute;      // of the namespace `name`; empty for a plain name
  std::vector<Target> parts;  // unpacking; name is then empty
  bool unpacks = false;
};

struct OutputText {
  Text text;
};

struct OutputExpression {
  ExpressionPtr expression;
};

struct ForStatement {
  Target target;
  ExpressionPtr iterable;
  ExpressionPtr filter;  // may be absent
  std::unique_ptr<Block> body, otherwise;
};

struct IfStatement {
  std::vector<std::pair<ExpressionPtr, Block>> branches;
  std::unique_ptr<Block> otherwise;
};

struct SetStatement {
  Target target;
  ExpressionPtr value;
};

struct SetBlockStatement {
  Target target;
  std::vector<FilterUse> filters;
  std::unique_ptr<Block> body;
};

struct FilterBlockStatement {
  std::vector<FilterUse> filters;
  std::unique_ptr<Block> body;
};

struct WithStatement {
  std::vector<std::pair<Target, ExpressionPtr>> bindings;
  std::unique_ptr<Block> body;
};

// A macro, or the body of a call block.
struct MacroDefinition {
  int line = 1;
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // with their defaults, which may be absent
  bool usesVarargs = false;
  bool usesKwargs = false;
  bool usesCaller = false;
  std::unique_ptr<Block> body;
};

struct MacroStatement {
  std::unique_ptr<MacroDefinition> macro;
};

struct CallBlockStatement {
  std::unique_ptr<MacroDefinition> body;
  ExpressionPtr call;  // a CallExpression
};

// A body with a scope of its own, e.g. {% generation %}.
struct ScopedStatement {
  std::unique_ptr<Block> body;
};

struct BreakStatement {};
struct ContinueStatement {};

struct Statement {
  using Node = std::variant<OutputText, OutputExpression, ForStatement, IfStatement, SetStatement,
                            SetBlockStatement, FilterBlockStatement, WithStatement, MacroStatement,
                            CallBlockStatement, ScopedStatement, BreakStatement, ContinueStatement>;
  int line = 1;
  Node node;
};

}  // namespace orthros::text::jinja
