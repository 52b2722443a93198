// Cuts a template's source into tokens. White-space rules as chat templates expect them (the transformers
// library runs Jinja with trim_blocks and lstrip_blocks): a line holding only a block tag leaves nothing
// behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"

namespace orthros::text::jinja {

enum class TokenKind : uint8_t {
  data,  // text outside all tags
  variableBegin,
  variableEnd,
  blockBegin,
  blockEnd,
  name,
  string,    // text holds the unescaped value
  integer,   // text holds the digits without "_"
  floating,  // likewise
  symbol,    // an operator or bracket
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;
  int line = 1;
};

// The last token is of kind `end`. Error: malformed, with the line.
Result<std::vector<Token>> tokenize(std::string_view source);

// An error at a line of the template.
tl::unexpected<Error> failAtLine(int line, std::string happened, ErrorCode code = ErrorCode::malformed);

// Names the line in an error that came up without one.
Error withLine(Error error, int line);

}  // namespace orthros::text::jinja
