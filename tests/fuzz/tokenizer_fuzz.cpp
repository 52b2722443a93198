// Random text through both kinds of tokenizer and back. The first byte chooses the tokenizer and the mode.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/detokenizer.hpp"
#include "engine/text/unicode.hpp"
#include "engine/text/vocabulary.hpp"
#include "tests/fuzz/tokenizer_seeds.hpp"

namespace {

using namespace orthros::text;

const std::vector<std::shared_ptr<const Vocabulary>>& vocabularies() {
  static const auto all = [] {
    std::vector<std::shared_ptr<const Vocabulary>> made;
    for (const char* name :
         {"smollm", "gpt-2", "llama-bpe", "qwen2", "deepseek-coder", "tekken", "default"}) {
      made.push_back(Vocabulary::create(fuzzing::bytePairs(name)).value());
    }
    made.push_back(Vocabulary::create(fuzzing::sentencePiece()).value());
    return made;
  }();
  return all;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void checkPlain(const Vocabulary& vocabulary, std::string_view text, const std::vector<TokenId>& tokens) {
  for (const TokenId token : tokens) require(!vocabulary.isControl(token));
  const bool sentencePiece = vocabulary.model() == VocabularyModel::sentencePiece;
  const bool hasSpaceLetter = text.find("\xE2\x96\x81") != std::string_view::npos;
  if (!sentencePiece || !hasSpaceLetter) require(vocabulary.detokenize(tokens) == sanitizeUtf8(text));
}

void checkStream(const std::shared_ptr<const Vocabulary>& vocabulary, std::string_view bytes) {
  Detokenizer detokenizer(vocabulary, {.renderSpecial = true});
  for (const char byte : bytes) require(isValidUtf8(detokenizer.push(static_cast<uint8_t>(byte) * 3u)));
  require(isValidUtf8(detokenizer.flush()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto& vocabulary = vocabularies()[(data[0] >> 1) % vocabularies().size()];
  const auto special = data[0] & 1 ? SpecialTokens::parse : SpecialTokens::plain;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto tokens = vocabulary->tokenize(text, special);
  require(tokens.has_value());
  for (const TokenId token : *tokens) require(token < vocabulary->size());
  if (special == SpecialTokens::plain) checkPlain(*vocabulary, text, *tokens);
  checkStream(vocabulary, text);
  return 0;
}
