// Builds a Block out of tokens. The grammar is Jinja 3's without template inheritance, imports and
// autoescape.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/ast.hpp"
#include "engine/text/jinja/lexer.hpp"
#include "engine/text/jinja/limits.hpp"

namespace orthros::text::jinja {

// Errors name the line: malformed source, unknown filters and tests, unsupported tags, source that is too
// long or nested too deep.
Result<Block> parseTemplate(std::string_view source, const Limits& limits);

class Parser {
 public:
  Parser(std::vector<Token> tokens, const Limits& limits) : tokens_(std::move(tokens)), limits_(limits) {}
  Result<Block> run();

 private:
  using Words = std::initializer_list<std::string_view>;
  using Parse = Result<ExpressionPtr> (Parser::*)();

  // Tokens.
  const Token& current() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  void advance() { at_ = std::min(at_ + 1, tokens_.size() - 1); }
  bool isSymbol(std::string_view symbol) const { return isSymbol(current(), symbol); }
  bool isName(std::string_view name) const { return isName(current(), name); }
  static bool isSymbol(const Token& token, std::string_view symbol);
  static bool isName(const Token& token, std::string_view name);
  bool isAnyName(Words names) const;
  bool skipSymbol(std::string_view symbol);
  bool skipName(std::string_view name);
  Status expectSymbol(std::string_view symbol);
  Status expectName(std::string_view name);
  Status expectKind(TokenKind kind, std::string_view description);
  Result<std::string> takeName();
  tl::unexpected<Error> failHere(std::string happened) const;
  tl::unexpected<Error> failUnexpected() const;
  Status enter();

  // Expressions, loosest first.
  Result<ExpressionPtr> parseExpression();
  Result<ExpressionPtr> parseConditional();
  Result<ExpressionPtr> parseOr();
  Result<ExpressionPtr> parseAnd();
  Result<ExpressionPtr> parseNot();
  Result<ExpressionPtr> parseComparison();
  Result<ExpressionPtr> parseSum();
  Result<ExpressionPtr> parseConcatenation();
  Result<ExpressionPtr> parseProduct();
  Result<ExpressionPtr> parsePower();
  Result<ExpressionPtr> parseUnary();
  Result<ExpressionPtr> parseSigned();
  Result<ExpressionPtr> parsePrimary();
  Result<ExpressionPtr> parseNameOrConstant();
  Result<ExpressionPtr> parseString();
  Result<ExpressionPtr> parseNumber();
  Result<ExpressionPtr> parseList();
  Result<ExpressionPtr> parseMapping();
  Result<ExpressionPtr> parsePostfix(ExpressionPtr operand);
  Result<ExpressionPtr> parseFiltersAndTests(ExpressionPtr operand);
  Result<ExpressionPtr> parseAttribute(ExpressionPtr object);
  Result<ExpressionPtr> parseSubscript(ExpressionPtr object);
  Result<ExpressionPtr> parseCall(ExpressionPtr callee);
  Result<ExpressionPtr> parseTest(ExpressionPtr target);
  Result<FilterUse> parseFilterUse();
  Result<std::vector<FilterUse>> parseFilterChain();
  Result<CallArguments> parseArguments();
  Status parseArgument(CallArguments& arguments);
  Result<ExpressionPtr> parseSliceBound();
  // "a, b" is a tuple. With `inParentheses` nothing is the empty tuple.
  Result<ExpressionPtr> parseTuple(Parse element, bool inParentheses = false);
  bool atTupleEnd() const;
  Result<ExpressionPtr> parseLeftChain(
      Parse operand, std::initializer_list<std::pair<std::string_view, BinaryOperator>> operators);
  template <class Node>
  Result<ExpressionPtr> make(int line, Node node);
  void noteMacroName(std::string_view name);

  // Statements.
  Result<Block> parseBlock(Words endings);
  Status parseStatement(Block& block);
  Status parseFor(Block& block, int line);
  Status parseIf(Block& block, int line);
  Status parseSet(Block& block, int line);
  Status parseMacro(Block& block, int line);
  Status parseCallBlock(Block& block, int line);
  Status parseFilterBlock(Block& block, int line);
  Status parseWith(Block& block, int line);
  Status parsePrint(Block& block, int line);
  Status parseLoopJump(Block& block, int line);
  Status parseGeneration(Block& block, int line);
  Status parseParameters(MacroDefinition& macro);
  Result<std::unique_ptr<Block>> parseBody(Words endings);
  Result<std::unique_ptr<Block>> parseMacroBody(MacroDefinition& macro, std::string_view ending);
  Result<Target> parseTarget(bool attributesAllowed);
  Result<Target> parseSingleTarget(bool attributesAllowed);

  std::vector<Token> tokens_;
  const Limits& limits_;
  size_t at_ = 0;
  uint32_t nesting_ = 0;
  uint32_t loops_ = 0;         // for loops around this place, inside the same macro
  uint32_t conditionals_ = 0;  // branches around this place: filters in them are looked up only when run
  std::vector<MacroDefinition*> macros_;
};

}  // namespace orthros::text::jinja
