// The parser's operators, loosest first. Primaries and what follows them are in parser_primaries.cpp.
#include "engine/text/jinja/parser_nodes.hpp"

namespace orthros::text::jinja {

Result<ExpressionPtr> Parser::parseExpression() {
  ORTHROS_TRY(enter());
  auto expression = parseConditional();
  --nesting_;
  return expression;
}

Result<ExpressionPtr> Parser::parseConditional() {
  const int line = current().line;
  ORTHROS_ASSIGN(ExpressionPtr value, parseOr());
  while (skipName("if")) {
    ++conditionals_;
    ConditionalExpression conditional;
    conditional.chosen = std::move(value);
    ORTHROS_ASSIGN(conditional.condition, parseOr());
    if (skipName("else")) {
      ORTHROS_TRY(enter());
      ORTHROS_ASSIGN(conditional.otherwise, parseConditional());
      --nesting_;
    }
    --conditionals_;
    ORTHROS_ASSIGN(value, make(line, std::move(conditional)));
  }
  return value;
}

Result<ExpressionPtr> Parser::parseOr() {
  const int line = current().line;
  ORTHROS_ASSIGN(ExpressionPtr left, parseAnd());
  while (skipName("or")) {
    ORTHROS_ASSIGN(ExpressionPtr right, parseAnd());
    ORTHROS_ASSIGN(left, make(line, LogicalOperation{false, std::move(left), std::move(right)}));
  }
  return left;
}

Result<ExpressionPtr> Parser::parseAnd() {
  const int line = current().line;
  ORTHROS_ASSIGN(ExpressionPtr left, parseNot());
  while (skipName("and")) {
    ORTHROS_ASSIGN(ExpressionPtr right, parseNot());
    ORTHROS_ASSIGN(left, make(line, LogicalOperation{true, std::move(left), std::move(right)}));
  }
  return left;
}

Result<ExpressionPtr> Parser::parseNot() {
  const int line = current().line;
  if (!skipName("not")) return parseComparison();
  ORTHROS_TRY(enter());
  ORTHROS_ASSIGN(ExpressionPtr operand, parseNot());
  --nesting_;
  return make(line, UnaryOperation{UnaryOperator::logicalNot, std::move(operand)});
}

Result<ExpressionPtr> Parser::parseComparison() {
  static constexpr std::pair<std::string_view, CompareOperator> symbols[] = {
      {"==", CompareOperator::equal},  {"!=", CompareOperator::notEqual},
      {"<", CompareOperator::less},    {"<=", CompareOperator::lessEqual},
      {">", CompareOperator::greater}, {">=", CompareOperator::greaterEqual}};
  const int line = current().line;
  Comparison comparison;
  ORTHROS_ASSIGN(comparison.first, parseSum());
  for (;;) {
    std::optional<CompareOperator> op;
    for (const auto& [symbol, symbolOperator] : symbols) {
      if (isSymbol(symbol)) op = symbolOperator;
    }
    if (isName("in")) op = CompareOperator::in;
    if (isName("not") && isName(next(), "in")) {
      op = CompareOperator::notIn;
      advance();
    }
    if (!op) break;
    advance();
    ORTHROS_ASSIGN(ExpressionPtr other, parseSum());
    comparison.others.emplace_back(*op, std::move(other));
  }
  if (comparison.others.empty()) return std::move(comparison.first);
  return make(line, std::move(comparison));
}

Result<ExpressionPtr> Parser::parseLeftChain(
    Parse operand, std::initializer_list<std::pair<std::string_view, BinaryOperator>> operators) {
  const int line = current().line;
  ORTHROS_ASSIGN(ExpressionPtr left, (this->*operand)());
  for (;;) {
    std::optional<BinaryOperator> op;
    for (const auto& [symbol, symbolOperator] : operators) {
      if (isSymbol(symbol)) op = symbolOperator;
    }
    if (!op) return left;
    advance();
    ORTHROS_ASSIGN(ExpressionPtr right, (this->*operand)());
    ORTHROS_ASSIGN(left, make(line, BinaryOperation{*op, std::move(left), std::move(right)}));
  }
}

Result<ExpressionPtr> Parser::parseSum() {
  return parseLeftChain(&Parser::parseConcatenation,
                        {{"+", BinaryOperator::add}, {"-", BinaryOperator::subtract}});
}

Result<ExpressionPtr> Parser::parseConcatenation() {
  const int line = current().line;
  Concatenation concatenation;
  do {
    ORTHROS_ASSIGN(ExpressionPtr piece, parseProduct());
    concatenation.pieces.push_back(std::move(piece));
  } while (skipSymbol("~"));
  if (concatenation.pieces.size() == 1) return std::move(concatenation.pieces.front());
  return make(line, std::move(concatenation));
}

Result<ExpressionPtr> Parser::parseProduct() {
  return parseLeftChain(&Parser::parsePower, {{"*", BinaryOperator::multiply},
                                              {"/", BinaryOperator::divide},
                                              {"//", BinaryOperator::floorDivide},
                                              {"%", BinaryOperator::modulo}});
}

Result<ExpressionPtr> Parser::parsePower() {
  return parseLeftChain(&Parser::parseUnary, {{"**", BinaryOperator::power}});
}

Result<ExpressionPtr> Parser::parseUnary() {
  ORTHROS_ASSIGN(ExpressionPtr operand, parseSigned());
  return parseFiltersAndTests(std::move(operand));
}

// Filters apply to the signed value, attributes and calls to the value before its sign.
Result<ExpressionPtr> Parser::parseSigned() {
  const int line = current().line;
  if (!isSymbol("-") && !isSymbol("+")) {
    ORTHROS_ASSIGN(ExpressionPtr primary, parsePrimary());
    return parsePostfix(std::move(primary));
  }
  const UnaryOperator op = isSymbol("-") ? UnaryOperator::negate : UnaryOperator::affirm;
  advance();
  ORTHROS_TRY(enter());
  ORTHROS_ASSIGN(ExpressionPtr operand, parseSigned());
  --nesting_;
  return make(line, UnaryOperation{op, std::move(operand)});
}

bool Parser::atTupleEnd() const {
  return current().kind == TokenKind::variableEnd || current().kind == TokenKind::blockEnd || isSymbol(")");
}

Result<ExpressionPtr> Parser::parseTuple(Parse element, bool inParentheses) {
  const int line = current().line;
  SequenceLiteral tuple;
  tuple.kind = SequenceKind::tuple;
  bool isTuple = false;
  while (!atTupleEnd()) {
    ORTHROS_ASSIGN(ExpressionPtr item, (this->*element)());
    tuple.items.push_back(std::move(item));
    if (!skipSymbol(",")) break;
    isTuple = true;
  }
  if (!isTuple && !tuple.items.empty()) return std::move(tuple.items.front());
  if (!isTuple && !inParentheses) return failHere("expected an expression");
  return make(line, std::move(tuple));
}

}  // namespace orthros::text::jinja
