// Splits text into words, the units within which byte pairs merge. Patterns run in PCRE2 with a bound on
// their work.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/pretokenizer_patterns.hpp"

namespace orthros::text {

class PreTokenizer {
 public:
  static Result<PreTokenizer> create(const PreTokenizerSpec& spec);
  PreTokenizer(PreTokenizer&&) noexcept;
  PreTokenizer& operator=(PreTokenizer&&) noexcept;
  ~PreTokenizer();

  // Words in order; concatenated they are `text`, which must be UTF-8. The views point into `text`.
  // Error: `internal` where a pattern needs more than 64 MB, or more steps than a bound that grows with the
  // text's length.
  Result<std::vector<std::string_view>> split(std::string_view text) const;

 private:
  class Pattern;
  PreTokenizer();
  std::vector<Pattern> patterns_;
};

}  // namespace orthros::text
