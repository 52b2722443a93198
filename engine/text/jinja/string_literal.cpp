#include "engine/text/jinja/string_literal.hpp"

#include <charconv>

#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {
namespace {

class Unescaper {
 public:
  explicit Unescaper(std::string_view body) : body_(body) {}

  Result<std::string> run() {
    while (at_ < body_.size()) {
      const char c = body_[at_++];
      if (c != '\\' || at_ == body_.size()) {
        result_ += c;
      } else {
        ORTHROS_TRY(escape(body_[at_++]));
      }
    }
    return std::move(result_);
  }

 private:
  Status escape(char kind) {
    static constexpr std::string_view letters = "\\'\"abfnrtv";
    static constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
    if (kind == '\n') return {};
    if (const size_t letter = letters.find(kind); letter != std::string_view::npos) {
      result_ += meanings[letter];
      return {};
    }
    if (kind == 'x') return number(2, 2, 16);
    if (kind == 'u') return number(4, 4, 16);
    if (kind == 'U') return number(8, 8, 16);
    if (kind == 'N') return fail(ErrorCode::unsupported, "", "a \\N{...} escape is not supported");
    if (kind >= '0' && kind <= '7') {
      --at_;
      return number(1, 3, 8);
    }
    result_ += '\\';
    result_ += kind;
    return {};
  }

  // A code point of `least` to `most` digits.
  Status number(size_t least, size_t most, int base) {
    uint32_t codePoint = 0;
    const std::string_view digits = body_.substr(at_, most);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), codePoint, base).ptr;
    const auto used = static_cast<size_t>(end - digits.data());
    const bool surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
    if (used < least || codePoint > 0x10ffff || surrogate)
      return failRender("a string holds a broken escape");
    appendCodePoint(result_, codePoint);
    at_ += used;
    return {};
  }

  std::string_view body_;
  std::string result_;
  size_t at_ = 0;
};

}  // namespace

Result<std::string> unescape(std::string_view body) {
  return Unescaper(body).run();
}

}  // namespace orthros::text::jinja
