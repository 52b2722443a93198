// A vocabulary as a file states it, before it is checked: filled from GGUF metadata, or by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/gguf/file.hpp"
#include "engine/text/token.hpp"

namespace orthros::text {

enum class VocabularyModel : uint8_t {
  bytePair,       // "gpt2": merges over bytes written as letters
  sentencePiece,  // "llama": scores, spaces written as U+2581
};

struct VocabularyData {
  std::string name;  // of the file, for errors
  VocabularyModel model = VocabularyModel::bytePair;
  std::string preTokenizer = "default";  // tokenizer.ggml.pre, byte pairs only
  std::vector<std::string> tokens;       // [vocabulary]
  std::vector<TokenKind> kinds;          // [vocabulary], or empty: all normal
  std::vector<float> scores;             // [vocabulary], SentencePiece only
  std::vector<std::string> merges;       // "left right" in order of rank, byte pairs only

  std::optional<TokenId> bos, eos, eot, eom, unknown, padding;
  bool addBos = false;
  bool addEos = false;
  bool addSpacePrefix = true;     // SentencePiece: a space before the text and after a special token
  bool trimAfterSpecial = false;  // white space after a special token belongs to it (Phi-3)
};

// Reads the keys tokenizer.ggml.*; errors name the key. Tokens are checked only by Vocabulary::create.
Result<VocabularyData> readVocabularyData(const gguf::File& file);

}  // namespace orthros::text
