#include "engine/text/jinja/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/arithmetic.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {
namespace {

struct Conversion {
  bool leftAlign = false;
  bool zeroPad = false;
  bool plus = false;
  bool space = false;
  bool alternate = false;
  size_t width = 0;
  std::optional<int> precision;
  char kind = 's';
};

std::optional<double> floatOf(const Value& value) {
  if (const auto* number = value.as<double>()) return *number;
  if (const auto integer = integerOf(value)) return static_cast<double>(*integer);
  return std::nullopt;
}

// Digits without a sign.
Result<std::string> integerDigits(const Value& value, const Conversion& conversion, bool& negative) {
  std::optional<int64_t> integer = integerOf(value);
  const auto* number = value.as<double>();
  if (!integer && number != nullptr && conversion.kind != 'x' && conversion.kind != 'X' &&
      conversion.kind != 'o' && std::abs(*number) < 9e18) {
    integer = static_cast<int64_t>(*number);
  }
  if (!integer) {
    return failRender(std::string("the conversion %") + conversion.kind + " needs a number, not " +
                      std::string(value.typeName()));
  }
  negative = *integer < 0;
  const uint64_t magnitude =
      negative ? uint64_t{0} - static_cast<uint64_t>(*integer) : static_cast<uint64_t>(*integer);
  const int base = conversion.kind == 'x' || conversion.kind == 'X' ? 16 : conversion.kind == 'o' ? 8 : 10;
  char buffer[70];
  std::string digits(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
  if (conversion.precision && digits.size() < static_cast<size_t>(*conversion.precision)) {
    digits.insert(0, static_cast<size_t>(*conversion.precision) - digits.size(), '0');
  }
  if (conversion.alternate && base == 16) digits.insert(0, "0x");
  if (conversion.alternate && base == 8) digits.insert(0, "0o");
  if (conversion.kind == 'X') digits = toUpper(digits);
  return digits;
}

Result<std::string> floatDigits(const Value& value, const Conversion& conversion, bool& negative) {
  const auto number = floatOf(value);
  if (!number)
    return failRender("a conversion to a float needs a number, not " + std::string(value.typeName()));
  negative = std::signbit(*number) && !std::isnan(*number);
  const double magnitude = std::abs(*number);
  std::string digits;
  if (!std::isfinite(magnitude)) {
    digits = std::isnan(magnitude) ? "nan" : "inf";
  } else {
    const char kind = static_cast<char>(conversion.kind | 0x20);
    const auto format = kind == 'f'   ? std::chars_format::fixed
                        : kind == 'e' ? std::chars_format::scientific
                                      : std::chars_format::general;
    char buffer[512];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, magnitude, format,
                                   std::min(conversion.precision.value_or(6), 100))
                         .ptr;
    digits.assign(buffer, end);
  }
  if (conversion.kind < 'a') digits = toUpper(digits);
  return digits;
}

std::string_view signOf(const Conversion& conversion, bool negative) {
  if (negative) return "-";
  return conversion.plus ? "+" : conversion.space ? " " : "";
}

void appendPadded(TextBuilder& out, const Text& text, const Conversion& conversion) {
  const size_t size = countCharacters(text.bytes());
  const Text padding(" ", Origin::templateText);
  const size_t missing = conversion.width > size ? conversion.width - size : 0;
  if (!conversion.leftAlign) out.repeat(padding, missing);
  out.append(text);
  if (conversion.leftAlign) out.repeat(padding, missing);
}

void appendNumber(TextBuilder& out, std::string digits, bool negative, const Conversion& conversion) {
  const std::string_view sign = signOf(conversion, negative);
  const size_t size = digits.size() + sign.size();
  if (conversion.zeroPad && !conversion.leftAlign && size < conversion.width) {
    const size_t prefix =
        conversion.alternate && digits.size() > 1 && std::isalpha(static_cast<unsigned char>(digits[1])) ? 2
                                                                                                         : 0;
    digits.insert(prefix, conversion.width - size, '0');
  }
  appendPadded(out, Text(std::string(sign) + digits, Origin::templateText), conversion);
}

// Walks over a "%" pattern once.
class PercentFormatter {
 public:
  PercentFormatter(const Text& pattern, const Value& values, Work& work)
      : pattern_(pattern), bytes_(pattern.bytes()), values_(values), work_(work) {
    const auto* sequence = values.asSequence();
    if (sequence != nullptr && sequence->kind == SequenceKind::tuple) tuple_ = sequence;
  }

  Result<Text> run() {
    while (at_ < bytes_.size()) {
      const size_t percent = std::min(bytes_.find('%', at_), bytes_.size());
      out_.append(pattern_, at_, percent);
      at_ = percent;
      if (at_ < bytes_.size()) ORTHROS_TRY(convert());
    }
    const size_t given = tuple_ != nullptr ? tuple_->items.size() : 1;
    const bool keyed = values_.asMapping() != nullptr;
    if (used_ < given && !keyed && (tuple_ != nullptr || values_.asSequence() == nullptr)) {
      return failRender("a format string uses fewer values than are given");
    }
    return out_.finish();
  }

 private:
  char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }

  Result<Value> nextValue(const std::optional<Text>& key) {
    if (key) {
      const auto* mapping = values_.asMapping();
      if (mapping == nullptr) return failRender("a format string with keys needs a dict");
      const Value* found = mapping->find(Value(*key));
      if (found == nullptr)
        return failRender("the mapping of a format has no key '" + std::string(key->bytes()) + "'");
      return *found;
    }
    if (tuple_ == nullptr && used_ == 0) {
      ++used_;
      return values_;
    }
    if (tuple_ == nullptr || used_ >= tuple_->items.size()) {
      return failRender("a format string needs more values than are given");
    }
    return tuple_->items[used_++];
  }

  Result<std::optional<Text>> readKey() {
    if (peek() != '(') return std::optional<Text>();
    const size_t close = bytes_.find(')', at_);
    if (close == std::string_view::npos) return failRender("a key in a format string has no end");
    Text key = pattern_.slice(at_ + 1, close);
    at_ = close + 1;
    return std::optional<Text>(std::move(key));
  }

  Result<size_t> readCount() {
    size_t count = 0;
    while (peek() >= '0' && peek() <= '9') {
      count = count * 10 + static_cast<size_t>(bytes_[at_++] - '0');
      if (count > maxTextBytes) return failRender("a format asks for too wide a field");
    }
    return count;
  }

  void readFlags(Conversion& conversion) {
    for (;; ++at_) {
      switch (peek()) {
        case '-':
          conversion.leftAlign = true;
          break;
        case '0':
          conversion.zeroPad = true;
          break;
        case '+':
          conversion.plus = true;
          break;
        case ' ':
          conversion.space = true;
          break;
        case '#':
          conversion.alternate = true;
          break;
        default:
          return;
      }
    }
  }

  Status convert() {
    ++at_;
    if (peek() == '%') {
      out_.append(pattern_, at_, at_ + 1);
      ++at_;
      return {};
    }
    ORTHROS_ASSIGN(const auto key, readKey());
    Conversion conversion;
    readFlags(conversion);
    ORTHROS_ASSIGN(conversion.width, readCount());
    if (peek() == '.') {
      ++at_;
      ORTHROS_ASSIGN(const size_t precision, readCount());
      conversion.precision = static_cast<int>(precision);
    }
    if (at_ >= bytes_.size()) return failRender("a format string ends inside a conversion");
    conversion.kind = bytes_[at_++];
    ORTHROS_ASSIGN(const Value value, nextValue(key));
    return append(value, conversion);
  }

  Status append(const Value& value, const Conversion& conversion) {
    bool negative = false;
    switch (conversion.kind) {
      case 's':
      case 'r':
        return appendText(value, conversion);
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        ORTHROS_ASSIGN(std::string digits, integerDigits(value, conversion, negative));
        appendNumber(out_, std::move(digits), negative, conversion);
        return {};
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G': {
        ORTHROS_ASSIGN(std::string digits, floatDigits(value, conversion, negative));
        appendNumber(out_, std::move(digits), negative, conversion);
        return {};
      }
      default:
        return failRender(std::string("the conversion %") + conversion.kind + " is unknown");
    }
  }

  Status appendText(const Value& value, const Conversion& conversion) {
    ORTHROS_ASSIGN(Text text, conversion.kind == 'r' ? toRepr(value, work_) : toText(value, work_));
    if (conversion.precision) {
      text = text.slice(0, characterOffset(text.bytes(), static_cast<size_t>(*conversion.precision)));
    }
    appendPadded(out_, text, conversion);
    return {};
  }

  const Text& pattern_;
  std::string_view bytes_;
  const Value& values_;
  Work& work_;
  const Sequence* tuple_ = nullptr;
  TextBuilder out_;
  size_t at_ = 0;
  size_t used_ = 0;
};

// Walks over a "{}" pattern once.
class BraceFormatter {
 public:
  BraceFormatter(const Text& pattern, const Arguments& arguments, Work& work)
      : pattern_(pattern), bytes_(pattern.bytes()), arguments_(arguments), work_(work) {}

  Result<Text> run() {
    while (at_ < bytes_.size()) {
      const size_t brace = std::min(bytes_.find_first_of("{}", at_), bytes_.size());
      out_.append(pattern_, at_, brace);
      at_ = brace;
      if (at_ >= bytes_.size()) break;
      if (at_ + 1 < bytes_.size() && bytes_[at_] == bytes_[at_ + 1]) {
        out_.append(pattern_, at_, at_ + 1);
        at_ += 2;
      } else {
        ORTHROS_TRY(field());
      }
    }
    return out_.finish();
  }

 private:
  Status field() {
    const size_t close = bytes_.find('}', at_);
    if (bytes_[at_] == '}' || close == std::string_view::npos)
      return failRender("a single brace in a format string");
    std::string_view name = bytes_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    if (name.find_first_of(":!{") != std::string_view::npos) {
      return fail(ErrorCode::unsupported, "", "uses a format specification inside braces");
    }
    const size_t pathStart = std::min(name.find_first_of(".["), name.size());
    ORTHROS_ASSIGN(Value value, argument(name.substr(0, pathStart)));
    ORTHROS_ASSIGN(value, followPath(std::move(value), name.substr(pathStart)));
    ORTHROS_ASSIGN(const Text text, toText(value, work_));
    out_.append(text);
    return {};
  }

  Result<Value> argument(std::string_view name) {
    size_t index = automatic_;
    if (name.empty()) {
      ++automatic_;
    } else if (std::from_chars(name.data(), name.data() + name.size(), index).ptr !=
               name.data() + name.size()) {
      for (const auto& [key, value] : arguments_.named) {
        if (key == name) return value;
      }
      return failRender("a format string names '" + std::string(name) + "', which is not given");
    }
    if (index >= arguments_.positional.size())
      return failRender("a format string names more values than are given");
    return arguments_.positional[index];
  }

  static Result<Value> followPath(Value value, std::string_view path) {
    while (!path.empty()) {
      const bool item = path.front() == '[';
      const size_t end = item ? path.find(']') : std::min(path.find_first_of(".[", 1), path.size());
      if (end == std::string_view::npos) return failRender("a format string has no ']'");
      const std::string_view name = path.substr(1, end - 1);
      path.remove_prefix(item ? end + 1 : end);
      int64_t index = 0;
      const bool number =
          std::from_chars(name.data(), name.data() + name.size(), index).ptr == name.data() + name.size();
      ORTHROS_ASSIGN(
          value, item && number && !name.empty() ? getItem(value, Value(index)) : getAttribute(value, name));
      ORTHROS_TRY(requireDefined(value));
    }
    return value;
  }

  const Text& pattern_;
  std::string_view bytes_;
  const Arguments& arguments_;
  Work& work_;
  TextBuilder out_;
  size_t at_ = 0;
  size_t automatic_ = 0;
};

}  // namespace

Result<Value> formatPercent(const Text& pattern, const Value& values, Work& work) {
  ORTHROS_TRY(work.charge(pattern.size() / 16));
  return asValue(PercentFormatter(pattern, values, work).run());
}

Result<Value> formatBraces(const Text& pattern, const Arguments& arguments, Work& work) {
  ORTHROS_TRY(work.charge(pattern.size() / 16));
  return asValue(BraceFormatter(pattern, arguments, work).run());
}

}  // namespace orthros::text::jinja
