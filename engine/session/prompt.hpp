// From a conversation's words to its token segments.
//
// Words of a person or a document never become control tokens: only the template's own text is parsed for
// them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/session/ask_request.hpp"
#include "engine/session/layout.hpp"
#include "engine/text/chat_template.hpp"
#include "engine/text/vocabulary.hpp"

namespace orthros::session {

// An answer of this conversation and the tokens it was generated as, which its text alone does not tell.
struct KnownAnswer {
  std::string text;
  std::vector<text::TokenId> tokens;
};

class PromptBuilder {
 public:
  PromptBuilder(std::shared_ptr<const text::Vocabulary> vocabulary,
                std::shared_ptr<const text::ChatTemplate> chat);

  // The conversation in the model's template, up to where the assistant's next words begin. Each assistant
  // turn is an answer segment, with its own tokens where `known` has its text; the words between answers are
  // one prompt segment. BOS comes first where the vocabulary wants it, once. Errors: invalidArgument where
  // the last turn is not the user's, those of the template, cancelled.
  Result<std::vector<Segment>> build(const AskRequest& request, std::span<const KnownAnswer> known,
                                     const CancelToken& cancel) const;

 private:
  struct Piece;

  std::vector<Piece> pieces(const std::vector<text::TemplateSegment>& rendered, std::span<const Turn> turns,
                            std::span<const KnownAnswer> known) const;
  void isolateControlTexts(std::vector<Piece>& pieces) const;
  Result<std::vector<Segment>> tokenize(const std::vector<Piece>& pieces, const CancelToken& cancel) const;

  std::shared_ptr<const text::Vocabulary> vocabulary_;
  std::shared_ptr<const text::ChatTemplate> chat_;
  std::vector<std::string> controlTexts_;
};

// `text` alone, as one prompt segment without a template; BOS as above.
Result<Segment> plainPrompt(const text::Vocabulary& vocabulary, std::string_view text,
                            text::SpecialTokens special, const CancelToken& cancel);

}  // namespace orthros::session
