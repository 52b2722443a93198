// The parser's statements.
#include <algorithm>

#include "engine/text/jinja/parser.hpp"

namespace orthros::text::jinja {
namespace {

// A counter that is raised inside a construct. Errors end the parse, so only the good path must lower it.
class Inside {
 public:
  explicit Inside(uint32_t& counter) : counter_(counter) { ++counter_; }
  ~Inside() { --counter_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  uint32_t& counter_;
};

std::string joinWords(std::initializer_list<std::string_view> words) {
  std::string joined;
  for (const std::string_view word : words)
    joined += (joined.empty() ? "'" : " or '") + std::string(word) + "'";
  return joined;
}

}  // namespace

Result<Block> Parser::run() {
  return parseBlock({});
}

// Up to one of the endings, which becomes the current token; up to the end of the template if there are none.
Result<Block> Parser::parseBlock(Words endings) {
  Block block;
  for (;;) {
    const int line = current().line;
    switch (current().kind) {
      case TokenKind::end:
        if (endings.size() == 0) return block;
        return failHere("unexpected end of template, looking for " + joinWords(endings));
      case TokenKind::data:
        block.push_back({line, OutputText{Text(current().text, Origin::templateText)}});
        advance();
        break;
      case TokenKind::variableBegin: {
        advance();
        ORTHROS_ASSIGN(ExpressionPtr expression, parseTuple(&Parser::parseExpression));
        ORTHROS_TRY(expectKind(TokenKind::variableEnd, "end of print statement"));
        block.push_back({line, OutputExpression{std::move(expression)}});
        break;
      }
      default:
        ORTHROS_TRY(expectKind(TokenKind::blockBegin, "begin of statement block"));
        if (isAnyName(endings)) return block;
        ORTHROS_TRY(parseStatement(block));
        ORTHROS_TRY(expectKind(TokenKind::blockEnd, "end of statement block"));
    }
  }
}

Result<std::unique_ptr<Block>> Parser::parseBody(Words endings) {
  skipSymbol(":");
  ORTHROS_TRY(expectKind(TokenKind::blockEnd, "end of statement block"));
  ORTHROS_TRY(enter());
  ORTHROS_ASSIGN(Block block, parseBlock(endings));
  --nesting_;
  return std::make_unique<Block>(std::move(block));
}

Status Parser::parseStatement(Block& block) {
  static constexpr std::pair<std::string_view, Status (Parser::*)(Block&, int)> statements[] = {
      {"for", &Parser::parseFor},
      {"if", &Parser::parseIf},
      {"set", &Parser::parseSet},
      {"macro", &Parser::parseMacro},
      {"call", &Parser::parseCallBlock},
      {"filter", &Parser::parseFilterBlock},
      {"with", &Parser::parseWith},
      {"print", &Parser::parsePrint},
      {"break", &Parser::parseLoopJump},
      {"continue", &Parser::parseLoopJump},
      {"generation", &Parser::parseGeneration},
  };
  static constexpr std::string_view unsupported[] = {"block", "extends",    "include", "import", "from",
                                                     "do",    "autoescape", "trans",   "debug"};
  if (current().kind != TokenKind::name) return failHere("a tag has no name");
  const int line = current().line;
  for (const auto& [name, parse] : statements) {
    if (isName(name)) return (this->*parse)(block, line);
  }
  const bool known = std::any_of(std::begin(unsupported), std::end(unsupported),
                                 [this](std::string_view name) { return isName(name); });
  if (known)
    return failAtLine(line, "the tag '" + current().text + "' is not supported", ErrorCode::unsupported);
  return failHere("the tag '" + current().text + "' is unknown or out of place");
}

Status Parser::parseFor(Block& block, int line) {
  advance();
  ForStatement loop;
  ORTHROS_ASSIGN(loop.target, parseTarget(false));
  ORTHROS_TRY(expectName("in"));
  ORTHROS_ASSIGN(loop.iterable, parseTuple(&Parser::parseOr));
  if (skipName("if")) {
    ORTHROS_ASSIGN(loop.filter, parseExpression());
  }
  if (isName("recursive"))
    return failAtLine(line, "recursive loops are not supported", ErrorCode::unsupported);
  {
    const Inside inside(loops_);
    ORTHROS_ASSIGN(loop.body, parseBody({"endfor", "else"}));
  }
  if (skipName("else")) {
    ORTHROS_ASSIGN(loop.otherwise, parseBody({"endfor"}));
  }
  advance();
  block.push_back({line, std::move(loop)});
  return {};
}

Status Parser::parseIf(Block& block, int line) {
  const Inside inside(conditionals_);
  IfStatement branches;
  do {
    advance();
    --conditionals_;  // the condition itself is always reached
    ORTHROS_ASSIGN(ExpressionPtr condition, parseTuple(&Parser::parseOr));
    ++conditionals_;
    ORTHROS_ASSIGN(auto body, parseBody({"elif", "else", "endif"}));
    branches.branches.emplace_back(std::move(condition), std::move(*body));
  } while (isName("elif"));
  if (skipName("else")) {
    ORTHROS_ASSIGN(branches.otherwise, parseBody({"endif"}));
  }
  advance();
  block.push_back({line, std::move(branches)});
  return {};
}

Status Parser::parseSet(Block& block, int line) {
  advance();
  ORTHROS_ASSIGN(Target target, parseTarget(true));
  if (skipSymbol("=")) {
    ORTHROS_ASSIGN(ExpressionPtr value, parseTuple(&Parser::parseExpression));
    block.push_back({line, SetStatement{std::move(target), std::move(value)}});
    return {};
  }
  SetBlockStatement set;
  set.target = std::move(target);
  ORTHROS_ASSIGN(set.filters, parseFilterChain());
  ORTHROS_ASSIGN(set.body, parseBody({"endset"}));
  advance();
  block.push_back({line, std::move(set)});
  return {};
}

Status Parser::parseParameters(MacroDefinition& macro) {
  ORTHROS_TRY(expectSymbol("("));
  while (!isSymbol(")")) {
    ORTHROS_ASSIGN(std::string name, takeName());
    ExpressionPtr otherwise;
    if (skipSymbol("=")) {
      ORTHROS_ASSIGN(otherwise, parseExpression());
    } else if (!macro.parameters.empty() && macro.parameters.back().second) {
      return failHere("a parameter without a default stands behind one that has one");
    }
    macro.parameters.emplace_back(std::move(name), std::move(otherwise));
    if (!skipSymbol(",")) break;
  }
  return expectSymbol(")");
}

Result<std::unique_ptr<Block>> Parser::parseMacroBody(MacroDefinition& macro, std::string_view ending) {
  const uint32_t outerLoops = std::exchange(loops_, 0);
  macros_.push_back(&macro);
  ORTHROS_ASSIGN(auto body, parseBody({ending}));
  macros_.pop_back();
  loops_ = outerLoops;
  advance();
  return body;
}

Status Parser::parseMacro(Block& block, int line) {
  advance();
  auto macro = std::make_unique<MacroDefinition>();
  macro->line = line;
  ORTHROS_ASSIGN(macro->name, takeName());
  ORTHROS_TRY(parseParameters(*macro));
  ORTHROS_ASSIGN(macro->body, parseMacroBody(*macro, "endmacro"));
  block.push_back({line, MacroStatement{std::move(macro)}});
  return {};
}

Status Parser::parseCallBlock(Block& block, int line) {
  advance();
  CallBlockStatement call;
  call.body = std::make_unique<MacroDefinition>();
  call.body->line = line;
  call.body->name = "caller";
  if (isSymbol("(")) ORTHROS_TRY(parseParameters(*call.body));
  ORTHROS_ASSIGN(call.call, parseExpression());
  if (!std::holds_alternative<CallExpression>(call.call->node))
    return failAtLine(line, "a call block needs a call");
  ORTHROS_ASSIGN(call.body->body, parseMacroBody(*call.body, "endcall"));
  block.push_back({line, std::move(call)});
  return {};
}

Status Parser::parseFilterBlock(Block& block, int line) {
  advance();
  FilterBlockStatement filtered;
  ORTHROS_ASSIGN(FilterUse first, parseFilterUse());
  filtered.filters.push_back(std::move(first));
  ORTHROS_ASSIGN(auto others, parseFilterChain());
  std::move(others.begin(), others.end(), std::back_inserter(filtered.filters));
  ORTHROS_ASSIGN(filtered.body, parseBody({"endfilter"}));
  advance();
  block.push_back({line, std::move(filtered)});
  return {};
}

Status Parser::parseWith(Block& block, int line) {
  advance();
  WithStatement with;
  while (current().kind != TokenKind::blockEnd) {
    if (!with.bindings.empty()) ORTHROS_TRY(expectSymbol(","));
    ORTHROS_ASSIGN(Target target, parseSingleTarget(false));
    ORTHROS_TRY(expectSymbol("="));
    ORTHROS_ASSIGN(ExpressionPtr value, parseExpression());
    with.bindings.emplace_back(std::move(target), std::move(value));
  }
  ORTHROS_ASSIGN(with.body, parseBody({"endwith"}));
  advance();
  block.push_back({line, std::move(with)});
  return {};
}

Status Parser::parsePrint(Block& block, int line) {
  advance();
  while (current().kind != TokenKind::blockEnd) {
    ORTHROS_ASSIGN(ExpressionPtr expression, parseExpression());
    block.push_back({line, OutputExpression{std::move(expression)}});
    if (!skipSymbol(",")) break;
  }
  return {};
}

Status Parser::parseLoopJump(Block& block, int line) {
  if (loops_ == 0) return failHere("'" + current().text + "' outside a loop");
  if (isName("break")) {
    block.push_back({line, BreakStatement{}});
  } else {
    block.push_back({line, ContinueStatement{}});
  }
  advance();
  return {};
}

// Marks what the assistant wrote; the mark only matters when training.
Status Parser::parseGeneration(Block& block, int line) {
  advance();
  ScopedStatement scoped;
  ORTHROS_ASSIGN(scoped.body, parseBody({"endgeneration"}));
  advance();
  block.push_back({line, std::move(scoped)});
  return {};
}

Result<Target> Parser::parseSingleTarget(bool attributesAllowed) {
  Target target;
  target.line = current().line;
  if (skipSymbol("(")) {
    ORTHROS_TRY(enter());
    ORTHROS_ASSIGN(target, parseTarget(attributesAllowed));
    --nesting_;
    ORTHROS_TRY(expectSymbol(")"));
    return target;
  }
  ORTHROS_ASSIGN(target.name, takeName());
  for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"}) {
    if (target.name == constant) return failAtLine(target.line, "'" + target.name + "' is a constant");
  }
  if (attributesAllowed && skipSymbol(".")) {
    ORTHROS_ASSIGN(target.attribute, takeName());
  }
  return target;
}

Result<Target> Parser::parseTarget(bool attributesAllowed) {
  ORTHROS_ASSIGN(Target first, parseSingleTarget(attributesAllowed));
  if (!isSymbol(",")) return first;
  Target all;
  all.line = first.line;
  all.unpacks = true;
  all.parts.push_back(std::move(first));
  while (skipSymbol(",") && (current().kind == TokenKind::name || isSymbol("(")) && !isName("in")) {
    ORTHROS_ASSIGN(Target part, parseSingleTarget(attributesAllowed));
    all.parts.push_back(std::move(part));
  }
  return all;
}

Result<Block> parseTemplate(std::string_view source, const Limits& limits) {
  if (source.size() > limits.sourceBytes) {
    return fail(ErrorCode::unsupported, "chat template",
                "is longer than " + std::to_string(limits.sourceBytes) + " bytes",
                "Use the plain chat format");
  }
  ORTHROS_ASSIGN(auto tokens, tokenize(source));
  return Parser(std::move(tokens), limits).run();
}

}  // namespace orthros::text::jinja
