// The parser's handling of tokens.
#include <algorithm>

#include "engine/text/jinja/parser.hpp"

namespace orthros::text::jinja {
namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::variableEnd:
      return "end of print statement";
    case TokenKind::blockEnd:
      return "end of statement block";
    case TokenKind::variableBegin:
      return "begin of print statement";
    case TokenKind::blockBegin:
      return "begin of statement block";
    case TokenKind::data:
      return "template data";
    case TokenKind::end:
      return "end of template";
    default:
      return token.text;
  }
}

}  // namespace

bool Parser::isSymbol(const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::symbol && token.text == symbol;
}

bool Parser::isName(const Token& token, std::string_view name) {
  return token.kind == TokenKind::name && token.text == name;
}

bool Parser::isAnyName(Words names) const {
  return std::any_of(names.begin(), names.end(), [this](std::string_view name) { return isName(name); });
}

bool Parser::skipSymbol(std::string_view symbol) {
  if (!isSymbol(symbol)) return false;
  advance();
  return true;
}

bool Parser::skipName(std::string_view name) {
  if (!isName(name)) return false;
  advance();
  return true;
}

tl::unexpected<Error> Parser::failHere(std::string happened) const {
  return failAtLine(current().line, std::move(happened));
}

tl::unexpected<Error> Parser::failUnexpected() const {
  return failHere("unexpected '" + describe(current()) + "'");
}

Status Parser::expectSymbol(std::string_view symbol) {
  if (skipSymbol(symbol)) return {};
  return failHere("expected token '" + std::string(symbol) + "', got '" + describe(current()) + "'");
}

Status Parser::expectName(std::string_view name) {
  if (skipName(name)) return {};
  return failHere("expected '" + std::string(name) + "', got '" + describe(current()) + "'");
}

Status Parser::expectKind(TokenKind kind, std::string_view description) {
  if (current().kind != kind) {
    return failHere("expected " + std::string(description) + ", got '" + describe(current()) + "'");
  }
  advance();
  return {};
}

Result<std::string> Parser::takeName() {
  if (current().kind != TokenKind::name)
    return failHere("expected a name, got '" + describe(current()) + "'");
  std::string name = current().text;
  advance();
  return name;
}

Status Parser::enter() {
  if (++nesting_ <= limits_.nesting) return {};
  return failAtLine(current().line, "nests deeper than " + std::to_string(limits_.nesting) + " levels",
                    ErrorCode::unsupported);
}

}  // namespace orthros::text::jinja
