#include "engine/text/jinja/lexer.hpp"

#include <algorithm>
#include <cctype>

#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/string_literal.hpp"

namespace orthros::text::jinja {
namespace {

bool isDecimal(char c) {
  return c >= '0' && c <= '9';
}

// One kind of line end, and without the last one.
std::string normalizeLines(std::string_view source) {
  std::string lines;
  lines.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      lines += source[i];
      continue;
    }
    lines += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (lines.ends_with('\n')) lines.pop_back();
  return lines;
}

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)), rest_(source_) {}

  Result<std::vector<Token>> run() {
    while (at_ < rest_.size()) ORTHROS_TRY(lexOutside());
    push(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  // The end of a tag starting at `at`: where the match ends, or npos.
  static constexpr size_t none = std::string_view::npos;

  void push(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  bool startsWith(size_t at, std::string_view text) const {
    return at <= rest_.size() && rest_.substr(at).starts_with(text);
  }

  void moveTo(size_t at) {
    line_ += static_cast<int>(std::count(rest_.begin() + static_cast<ptrdiff_t>(at_),
                                         rest_.begin() + static_cast<ptrdiff_t>(at), '\n'));
    at_ = at;
  }

  size_t skipSpace(size_t at) const {
    while (at < rest_.size()) {
      const Character character = characterAt(rest_, at);
      if (!isSpace(character.codePoint)) break;
      at += character.size;
    }
    return at;
  }

  // Matches "+CLOSE", "-CLOSE" with white space, or "CLOSE" with a newline where `trims`.
  size_t matchClose(size_t at, std::string_view close, bool plusAllowed, bool trims) const {
    if (startsWith(at, close)) {
      at += close.size();
      return trims && startsWith(at, "\n") ? at + 1 : at;
    }
    const char sign = at < rest_.size() ? rest_[at] : '\0';
    if (!startsWith(at + 1, close)) return none;
    if (sign == '-') return skipSpace(at + 1 + close.size());
    return sign == '+' && plusAllowed ? at + 1 + close.size() : none;
  }

  void leaveTag(size_t end) {
    moveTo(end);
    lineStarting_ = end > 0 && rest_[end - 1] == '\n';
  }

  // The text before a tag, whose sign tells how much of its white space goes.
  void pushData(size_t end, char sign, bool isVariable) {
    std::string_view data = rest_.substr(at_, end - at_);
    if (sign == '-') {
      while (!data.empty()) {
        const Character last = characterBefore(data, data.size());
        if (!isSpace(last.codePoint)) break;
        data.remove_suffix(last.size);
      }
    } else if (sign != '+' && !isVariable) {
      data = withoutIndentation(data);
    }
    if (!data.empty()) push(TokenKind::data, std::string(data));
  }

  std::string_view withoutIndentation(std::string_view data) const {
    const size_t newline = data.rfind('\n');
    const size_t lineStart = newline == none ? 0 : newline + 1;
    if (lineStart == 0 && !lineStarting_) return data;
    for (size_t at = lineStart; at < data.size();) {
      const Character character = characterAt(data, at);
      if (!isSpace(character.codePoint)) return data;
      at += character.size;
    }
    return data.substr(0, lineStart);
  }

  size_t findTag() const {
    for (size_t at = rest_.find('{', at_); at != none; at = rest_.find('{', at + 1)) {
      const char kind = at + 1 < rest_.size() ? rest_[at + 1] : '\0';
      if (kind == '{' || kind == '%' || kind == '#') return at;
    }
    return none;
  }

  Status lexOutside() {
    const size_t tag = findTag();
    if (tag == none) {
      push(TokenKind::data, std::string(rest_.substr(at_)));
      moveTo(rest_.size());
      return {};
    }
    const char kind = rest_[tag + 1];
    size_t inside = tag + 2;
    char sign = inside < rest_.size() ? rest_[inside] : '\0';
    if (sign == '-' || sign == '+') {
      ++inside;
    } else {
      sign = '\0';
    }
    pushData(tag, sign, kind == '{');
    moveTo(inside);
    lineStarting_ = false;
    if (kind == '#') return lexComment();
    if (kind == '{') return lexTag(TokenKind::variableBegin, TokenKind::variableEnd);
    if (const size_t end = matchRawBegin(inside); end != none) return lexRaw(end);
    return lexTag(TokenKind::blockBegin, TokenKind::blockEnd);
  }

  Status lexComment() {
    if (at_ == rest_.size()) return {};  // as Jinja: an opening at the very end is let pass
    const size_t close = rest_.find("#}", at_);
    if (close == none) return failAtLine(line_, "a comment has no end");
    const bool signedClose = close > at_ && (rest_[close - 1] == '-' || rest_[close - 1] == '+');
    leaveTag(matchClose(signedClose ? close - 1 : close, "#}", true, true));
    return {};
  }

  size_t matchRawBegin(size_t inside) const {
    const size_t name = skipSpace(inside);
    if (!startsWith(name, "raw")) return none;
    return matchClose(skipSpace(name + 3), "%}", false, false);
  }

  Status lexRaw(size_t begin) {
    const int line = line_;
    leaveTag(begin);
    if (at_ == rest_.size()) return {};
    for (size_t tag = rest_.find("{%", at_); tag != none; tag = rest_.find("{%", tag + 1)) {
      size_t inside = tag + 2;
      const char sign =
          inside < rest_.size() && (rest_[inside] == '-' || rest_[inside] == '+') ? rest_[inside++] : '\0';
      const size_t name = skipSpace(inside);
      if (!startsWith(name, "endraw")) continue;
      const size_t end = matchClose(skipSpace(name + 6), "%}", true, true);
      if (end == none) continue;
      pushData(tag, sign, false);
      leaveTag(end);
      return {};
    }
    return failAtLine(line, "a raw block has no end");
  }

  Status lexTag(TokenKind begin, TokenKind end) {
    const bool block = begin == TokenKind::blockBegin;
    push(begin, "");
    while (at_ < rest_.size()) {
      const size_t close = brackets_.empty() ? matchClose(at_, block ? "%}" : "}}", block, block) : none;
      if (close != none) {
        push(end, "");
        leaveTag(close);
        return {};
      }
      ORTHROS_TRY(lexInside());
    }
    return failAtLine(line_, "a tag has no end");
  }

  Status lexInside() {
    const size_t afterSpace = skipSpace(at_);
    if (afterSpace > at_) {
      moveTo(afterSpace);
      return {};
    }
    const Character character = characterAt(rest_, at_);
    if (isDecimal(rest_[at_])) return lexNumber();
    if (isNamePart(character.codePoint)) return lexName();
    if (rest_[at_] == '"' || rest_[at_] == '\'') return lexString();
    return lexSymbol();
  }

  Status lexName() {
    const size_t begin = at_;
    const bool valid = isNameStart(characterAt(rest_, at_).codePoint);
    size_t end = at_;
    while (end < rest_.size()) {
      const Character character = characterAt(rest_, end);
      if (!isNamePart(character.codePoint)) break;
      end += character.size;
    }
    if (!valid) return failAtLine(line_, "a name holds a character that names cannot have");
    push(TokenKind::name, std::string(rest_.substr(begin, end - begin)));
    moveTo(end);
    return {};
  }

  // Digits with single "_" between them, from `at` on; appended without the "_".
  size_t readDigits(size_t at, std::string& digits, bool (*isDigitOfBase)(char)) const {
    while (at < rest_.size()) {
      if (isDigitOfBase(rest_[at])) {
        digits += rest_[at++];
      } else if (rest_[at] == '_' && at + 1 < rest_.size() && isDigitOfBase(rest_[at + 1])) {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  bool digitAt(size_t at) const { return at < rest_.size() && isDecimal(rest_[at]); }

  Status lexNumber() {
    if (rest_[at_] == '0' && at_ + 2 < rest_.size() &&
        std::string_view("xXoObB").find(rest_[at_ + 1]) != none &&
        std::isxdigit(static_cast<unsigned char>(rest_[at_ + 2])) != 0) {
      return lexBasedNumber();
    }
    std::string digits;
    TokenKind kind = TokenKind::integer;
    size_t at = readDigits(at_, digits, isDecimal);
    const bool afterDot = at_ > 0 && rest_[at_ - 1] == '.';  // "x.0.1" is two subscripts
    if (!afterDot && startsWith(at, ".") && digitAt(at + 1)) {
      kind = TokenKind::floating;
      digits += '.';
      at = readDigits(at + 1, digits, isDecimal);
    }
    if (!afterDot && (startsWith(at, "e") || startsWith(at, "E"))) {
      const size_t sign = startsWith(at + 1, "+") || startsWith(at + 1, "-") ? 1 : 0;
      if (digitAt(at + 1 + sign)) {
        kind = TokenKind::floating;
        digits += rest_.substr(at, 1 + sign);
        at = readDigits(at + 1 + sign, digits, isDecimal);
      }
    }
    if (kind == TokenKind::integer && digits.front() == '0' && digits.find_first_not_of('0') != none) {
      return failAtLine(line_, "an integer starts with zeros");
    }
    push(kind, std::move(digits));
    moveTo(at);
    return {};
  }

  Status lexBasedNumber() {
    std::string digits(rest_.substr(at_, 2));
    const size_t at =
        readDigits(at_ + 2, digits, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
    push(TokenKind::integer, std::move(digits));
    moveTo(at);
    return {};
  }

  Status lexString() {
    size_t end = at_ + 1;
    while (end < rest_.size() && rest_[end] != rest_[at_]) end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) return failAtLine(line_, "a string has no end");
    auto value = unescape(rest_.substr(at_ + 1, end - at_ - 1));
    if (!value) return fail(withLine(std::move(value).error(), line_));
    push(TokenKind::string, std::move(*value));
    moveTo(end + 1);
    return {};
  }

  Status lexSymbol() {
    for (const std::string_view symbol : {"//", "**", "==", "!=", ">=", "<="}) {
      if (!startsWith(at_, symbol)) continue;
      push(TokenKind::symbol, std::string(symbol));
      moveTo(at_ + symbol.size());
      return {};
    }
    const char c = rest_[at_];
    if (std::string_view("+-/*%~[](){}><=.:|,;").find(c) == none) {
      return failAtLine(line_, "unexpected character '" +
                                   std::string(rest_.substr(at_, characterAt(rest_, at_).size)) + "'");
    }
    ORTHROS_TRY(trackBracket(c));
    push(TokenKind::symbol, std::string(1, c));
    moveTo(at_ + 1);
    return {};
  }

  // A tag ends only where its brackets are closed.
  Status trackBracket(char c) {
    if (c == '(') brackets_ += ')';
    if (c == '[') brackets_ += ']';
    if (c == '{') brackets_ += '}';
    if (c != ')' && c != ']' && c != '}') return {};
    if (brackets_.empty()) return failAtLine(line_, std::string("unexpected '") + c + "'");
    if (brackets_.back() != c) {
      return failAtLine(line_, std::string("unexpected '") + c + "', expected '" + brackets_.back() + "'");
    }
    brackets_.pop_back();
    return {};
  }

  std::string source_;
  std::string_view rest_;  // all of source_
  size_t at_ = 0;
  int line_ = 1;
  bool lineStarting_ = true;  // the text at at_ begins a line
  std::string brackets_;      // closing brackets still to come
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) {
  return Lexer(normalizeLines(source)).run();
}

tl::unexpected<Error> failAtLine(int line, std::string happened, ErrorCode code) {
  return fail(withLine(Error{code, "", std::move(happened), ""}, line));
}

Error withLine(Error error, int line) {
  if (error.subject.empty()) error.subject = "chat template, line " + std::to_string(line);
  if (error.nextStep.empty()) error.nextStep = "Use the plain chat format or another template for this model";
  return error;
}

}  // namespace orthros::text::jinja
