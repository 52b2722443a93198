// A model's vocabulary: text to tokens and back. Immutable, so any number of threads may use one at once.
// Behaviour follows llama.cpp, whose output is what models in GGUF files are run with.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/gguf/file.hpp"
#include "engine/text/token.hpp"
#include "engine/text/vocabulary_data.hpp"

namespace orthros::text {

struct VocabularyTables;

class Vocabulary : public std::enable_shared_from_this<Vocabulary> {
 public:
  // From the keys tokenizer.ggml.* of a model file. Errors: `malformed` names the key and the token that
  // break the format; `unsupported` names a tokenizer model or pre-tokenizer this build does not know.
  static Result<std::shared_ptr<const Vocabulary>> load(const gguf::File& file);
  static Result<std::shared_ptr<const Vocabulary>> create(VocabularyData data);
  ~Vocabulary();

  // The tokens of `text`; BOS and EOS are never added here, see addBos(). Bytes that are not UTF-8 count as
  // U+FFFD. Errors: `cancelled`.
  Result<std::vector<TokenId>> tokenize(std::string_view text, SpecialTokens special,
                                        const CancelToken* cancel = nullptr) const;

  // The text of whole tokens, with U+FFFD for bytes that are not UTF-8. Control tokens are left out unless
  // `renderSpecial`. A leading space that tokenize added is taken off. For streaming see Detokenizer.
  std::string detokenize(std::span<const TokenId> tokens, bool renderSpecial = false) const;

  uint32_t size() const;  // tokens
  VocabularyModel model() const;

  // The bytes a token stands for, perhaps a part of a character; a control token gives its name. Empty for an
  // id outside [0, size()). The views live as long as the vocabulary.
  std::string_view pieceOf(TokenId token) const;
  // The token as the file writes it ("Ġthe", "▁the", "<|im_end|>").
  std::string_view textOf(TokenId token) const;
  TokenKind kindOf(TokenId token) const;  // unused for an id outside
  bool isControl(TokenId token) const { return kindOf(token) == TokenKind::control; }
  // The token with exactly this text as the file writes it.
  std::optional<TokenId> find(std::string_view text) const;

  std::optional<TokenId> bos() const;
  std::optional<TokenId> eos() const;
  std::optional<TokenId> eot() const;  // end of a turn
  std::optional<TokenId> unknown() const;
  std::optional<TokenId> padding() const;
  bool addBos() const;  // whether the model wants BOS before the first text
  bool addEos() const;
  bool addSpacePrefix() const;  // whether tokenize puts a space before the text (SentencePiece)
  // Puts BOS before the first text of a conversation where the model wants it and a template has not put it
  // there.
  void prependBos(std::vector<TokenId>& tokens) const;

  // Tokens that end an answer: EOS, EOT, EOM and control tokens known to mean the same.
  bool isEndOfGeneration(TokenId token) const;
  const std::vector<TokenId>& endOfGeneration() const;  // ascending

 private:
  explicit Vocabulary(std::unique_ptr<const VocabularyTables> tables);
  std::unique_ptr<const VocabularyTables> tables_;
};

}  // namespace orthros::text
