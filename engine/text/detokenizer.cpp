#include "engine/text/detokenizer.hpp"

#include <utility>

#include "engine/text/unicode.hpp"

namespace orthros::text {
namespace {

// Moves what is certain from `waiting` to the result.
std::string takeCertain(std::string& waiting) {
  std::string_view rest = waiting;
  std::string text;
  while (!rest.empty()) {
    const Utf8Step step = nextCodePoint(rest);
    if (step.state == Utf8State::incomplete) break;
    text.append(step.state == Utf8State::valid ? rest.substr(0, step.length) : kReplacementCharacter);
    rest.remove_prefix(step.length);
  }
  waiting.erase(0, waiting.size() - rest.size());
  return text;
}

}  // namespace

Detokenizer::Detokenizer(std::shared_ptr<const Vocabulary> vocabulary, DetokenizerOptions options)
    : vocabulary_(std::move(vocabulary)), options_(options), atStart_(options.textStart) {}

std::string Detokenizer::push(TokenId token) {
  const TokenKind kind = vocabulary_->kindOf(token);
  const bool special = kind == TokenKind::control || kind == TokenKind::unknown;
  if (special) {
    std::string text = endCharacter();
    if (options_.renderSpecial) text += vocabulary_->pieceOf(token);
    return text;
  }
  std::string_view piece = vocabulary_->pieceOf(token);
  if (atStart_ && vocabulary_->addSpacePrefix() && piece.starts_with(' ')) piece.remove_prefix(1);
  atStart_ = false;
  waiting_ += piece;
  return takeCertain(waiting_);
}

std::string Detokenizer::flush() {
  atStart_ = options_.textStart;
  return endCharacter();
}

std::string Detokenizer::endCharacter() {
  if (std::exchange(waiting_, {}).empty()) return {};
  return std::string(kReplacementCharacter);
}

}  // namespace orthros::text
