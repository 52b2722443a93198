// The parser's literals and names, and what may follow them: attributes, subscripts, calls, filters and
// tests.
#include <charconv>

#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/parser_nodes.hpp"

namespace orthros::text::jinja {

Result<ExpressionPtr> Parser::parsePrimary() {
  switch (current().kind) {
    case TokenKind::name:
      return parseNameOrConstant();
    case TokenKind::string:
      return parseString();
    case TokenKind::integer:
    case TokenKind::floating:
      return parseNumber();
    default:
      break;
  }
  if (isSymbol("[")) return parseList();
  if (isSymbol("{")) return parseMapping();
  if (!skipSymbol("(")) return failUnexpected();
  ORTHROS_ASSIGN(ExpressionPtr inner, parseTuple(&Parser::parseExpression, true));
  ORTHROS_TRY(expectSymbol(")"));
  return inner;
}

Result<ExpressionPtr> Parser::parseNameOrConstant() {
  const Token token = current();
  advance();
  const std::string& name = token.text;
  if (name == "true" || name == "True") return make(token.line, Literal{Value(true)});
  if (name == "false" || name == "False") return make(token.line, Literal{Value(false)});
  if (name == "none" || name == "None") return make(token.line, Literal{Value()});
  noteMacroName(name);
  return make(token.line, NameReference{name});
}

// The names through which a macro's body asks for its spare arguments.
void Parser::noteMacroName(std::string_view name) {
  for (MacroDefinition* macro : macros_) {
    if (name == "varargs") macro->usesVarargs = true;
    if (name == "kwargs") macro->usesKwargs = true;
    if (name == "caller") macro->usesCaller = true;
  }
}

Result<ExpressionPtr> Parser::parseString() {
  const int line = current().line;
  std::string joined;
  for (; current().kind == TokenKind::string; advance()) joined += current().text;
  return make(line, Literal{makeText(std::move(joined))});
}

Result<ExpressionPtr> Parser::parseNumber() {
  const Token token = current();
  advance();
  const char* begin = token.text.data();
  const char* const end = begin + token.text.size();
  if (token.kind == TokenKind::floating) {
    double number = 0;
    if (std::from_chars(begin, end, number).ec != std::errc())
      return failAtLine(token.line, "a number is out of range");
    return make(token.line, Literal{Value(number)});
  }
  int base = 10;
  if (token.text.size() > 2 && token.text[0] == '0' && token.text[1] > '9') {
    const char kind = static_cast<char>(token.text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : 2;
    begin += 2;
  }
  int64_t integer = 0;
  const auto [stop, code] = std::from_chars(begin, end, integer, base);
  if (code != std::errc() || stop != end) {
    return failAtLine(token.line, "the integer '" + token.text + "' cannot be read");
  }
  return make(token.line, Literal{Value(integer)});
}

Result<ExpressionPtr> Parser::parseList() {
  const int line = current().line;
  advance();
  SequenceLiteral list;
  while (!isSymbol("]")) {
    ORTHROS_ASSIGN(ExpressionPtr item, parseExpression());
    list.items.push_back(std::move(item));
    if (!skipSymbol(",")) break;
  }
  ORTHROS_TRY(expectSymbol("]"));
  return make(line, std::move(list));
}

Result<ExpressionPtr> Parser::parseMapping() {
  const int line = current().line;
  advance();
  MappingLiteral mapping;
  while (!isSymbol("}")) {
    ORTHROS_ASSIGN(ExpressionPtr key, parseExpression());
    ORTHROS_TRY(expectSymbol(":"));
    ORTHROS_ASSIGN(ExpressionPtr value, parseExpression());
    mapping.entries.emplace_back(std::move(key), std::move(value));
    if (!skipSymbol(",")) break;
  }
  ORTHROS_TRY(expectSymbol("}"));
  return make(line, std::move(mapping));
}

Result<ExpressionPtr> Parser::parsePostfix(ExpressionPtr operand) {
  for (;;) {
    if (isSymbol(".")) {
      ORTHROS_ASSIGN(operand, parseAttribute(std::move(operand)));
    } else if (isSymbol("[")) {
      ORTHROS_ASSIGN(operand, parseSubscript(std::move(operand)));
    } else if (isSymbol("(")) {
      ORTHROS_ASSIGN(operand, parseCall(std::move(operand)));
    } else {
      return operand;
    }
  }
}

Result<ExpressionPtr> Parser::parseFiltersAndTests(ExpressionPtr operand) {
  for (;;) {
    const int line = current().line;
    if (skipSymbol("|")) {
      ORTHROS_ASSIGN(FilterUse filter, parseFilterUse());
      ORTHROS_ASSIGN(operand, make(line, FilterExpression{std::move(operand), std::move(filter)}));
    } else if (skipName("is")) {
      ORTHROS_ASSIGN(operand, parseTest(std::move(operand)));
    } else if (isSymbol("(")) {
      ORTHROS_ASSIGN(operand, parseCall(std::move(operand)));
    } else {
      return operand;
    }
  }
}

Result<ExpressionPtr> Parser::parseAttribute(ExpressionPtr object) {
  const int line = current().line;
  advance();
  if (current().kind == TokenKind::integer) {
    ORTHROS_ASSIGN(ExpressionPtr index, parseNumber());
    return make(line, ItemAccess{std::move(object), std::move(index)});
  }
  ORTHROS_ASSIGN(std::string name, takeName());
  return make(line, AttributeAccess{std::move(object), std::move(name)});
}

// One bound of a slice; null where it is left out.
Result<ExpressionPtr> Parser::parseSliceBound() {
  if (isSymbol(":") || isSymbol("]")) return ExpressionPtr();
  return parseExpression();
}

Result<ExpressionPtr> Parser::parseSubscript(ExpressionPtr object) {
  const int line = current().line;
  advance();
  ORTHROS_ASSIGN(ExpressionPtr key, parseSliceBound());
  if (!isSymbol(":")) {
    if (isSymbol(",") || !key) {  // x[1, 2] and x[] ask for a tuple
      SequenceLiteral tuple;
      tuple.kind = SequenceKind::tuple;
      if (key) tuple.items.push_back(std::move(key));
      while (skipSymbol(",") && !isSymbol("]")) {
        ORTHROS_ASSIGN(ExpressionPtr item, parseExpression());
        tuple.items.push_back(std::move(item));
      }
      ORTHROS_ASSIGN(key, make(line, std::move(tuple)));
    }
    ORTHROS_TRY(expectSymbol("]"));
    return make(line, ItemAccess{std::move(object), std::move(key)});
  }
  SliceAccess slice;
  slice.object = std::move(object);
  slice.start = std::move(key);
  advance();
  ORTHROS_ASSIGN(slice.stop, parseSliceBound());
  if (skipSymbol(":")) {
    ORTHROS_ASSIGN(slice.step, parseSliceBound());
  }
  ORTHROS_TRY(expectSymbol("]"));
  return make(line, std::move(slice));
}

Result<ExpressionPtr> Parser::parseCall(ExpressionPtr callee) {
  const int line = current().line;
  ORTHROS_ASSIGN(CallArguments arguments, parseArguments());
  return make(line, CallExpression{std::move(callee), std::move(arguments)});
}

Result<CallArguments> Parser::parseArguments() {
  ORTHROS_TRY(expectSymbol("("));
  CallArguments arguments;
  while (!isSymbol(")")) {
    ORTHROS_TRY(parseArgument(arguments));
    if (!skipSymbol(",")) break;
  }
  ORTHROS_TRY(expectSymbol(")"));
  return arguments;
}

Status Parser::parseArgument(CallArguments& arguments) {
  const auto wrongOrder = [this] { return failHere("the arguments of a call stand in the wrong order"); };
  if (skipSymbol("*")) {
    if (arguments.spread || arguments.namedSpread) return wrongOrder();
    ORTHROS_ASSIGN(arguments.spread, parseExpression());
  } else if (skipSymbol("**")) {
    if (arguments.namedSpread) return wrongOrder();
    ORTHROS_ASSIGN(arguments.namedSpread, parseExpression());
  } else if (current().kind == TokenKind::name && isSymbol(next(), "=")) {
    if (arguments.namedSpread) return wrongOrder();
    ORTHROS_ASSIGN(std::string name, takeName());
    advance();
    ORTHROS_ASSIGN(ExpressionPtr value, parseExpression());
    arguments.named.emplace_back(std::move(name), std::move(value));
  } else {
    if (arguments.spread || arguments.namedSpread || !arguments.named.empty()) return wrongOrder();
    ORTHROS_ASSIGN(ExpressionPtr value, parseExpression());
    arguments.positional.push_back(std::move(value));
  }
  return {};
}

Result<FilterUse> Parser::parseFilterUse() {
  FilterUse filter;
  filter.line = current().line;
  ORTHROS_ASSIGN(filter.name, takeName());
  if (conditionals_ == 0 && findFilter(filter.name) == nullptr) {
    return failAtLine(filter.line, "the filter '" + filter.name + "' is unknown", ErrorCode::unsupported);
  }
  if (isSymbol("(")) {
    ORTHROS_ASSIGN(filter.arguments, parseArguments());
  }
  return filter;
}

Result<std::vector<FilterUse>> Parser::parseFilterChain() {
  std::vector<FilterUse> filters;
  while (skipSymbol("|")) {
    ORTHROS_ASSIGN(FilterUse filter, parseFilterUse());
    filters.push_back(std::move(filter));
  }
  return filters;
}

Result<ExpressionPtr> Parser::parseTest(ExpressionPtr target) {
  const int line = current().line;
  const bool negated = skipName("not");
  TestExpression test;
  test.target = std::move(target);
  ORTHROS_ASSIGN(test.name, takeName());
  if (conditionals_ == 0 && findTest(test.name) == nullptr) {
    return failAtLine(line, "the test '" + test.name + "' is unknown", ErrorCode::unsupported);
  }
  const TokenKind kind = current().kind;
  const bool literal = kind == TokenKind::string || kind == TokenKind::integer || kind == TokenKind::floating;
  if (isSymbol("(")) {
    ORTHROS_ASSIGN(test.arguments, parseArguments());
  } else if (literal || isSymbol("[") || isSymbol("{") ||
             (kind == TokenKind::name && !isAnyName({"else", "or", "and"}))) {
    if (isName("is")) return failHere("'is' cannot follow a test directly");
    ORTHROS_ASSIGN(ExpressionPtr argument, parsePrimary());
    ORTHROS_ASSIGN(argument, parsePostfix(std::move(argument)));
    test.arguments.positional.push_back(std::move(argument));
  }
  ORTHROS_ASSIGN(ExpressionPtr result, make(line, std::move(test)));
  if (!negated) return result;
  return make(line, UnaryOperation{UnaryOperator::logicalNot, std::move(result)});
}

}  // namespace orthros::text::jinja
