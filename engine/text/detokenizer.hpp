// Tokens to text while they arrive: gives out whole characters only.
#pragma once

#include <memory>
#include <string>

#include "engine/text/vocabulary.hpp"

namespace orthros::text {

struct DetokenizerOptions {
  bool renderSpecial = false;  // control tokens give their names, otherwise nothing
  bool textStart =
      false;  // the first token begins a text: a space that tokenize would have added is taken off
};

class Detokenizer {
 public:
  explicit Detokenizer(std::shared_ptr<const Vocabulary> vocabulary, DetokenizerOptions options = {});

  // The text that became certain with this token, valid UTF-8, perhaps empty: bytes of an unfinished
  // character wait for the next token; bytes that no continuation can make valid become U+FFFD.
  std::string push(TokenId token);
  // Ends the text: what still waits becomes U+FFFD. The detokenizer can be used again for another text.
  std::string flush();

 private:
  std::string endCharacter();

  std::shared_ptr<const Vocabulary> vocabulary_;
  DetokenizerOptions options_;
  bool atStart_;
  std::string waiting_;  // at most 3 bytes
};

}  // namespace orthros::text
