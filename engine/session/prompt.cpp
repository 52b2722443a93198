#include "engine/session/prompt.hpp"

#include <algorithm>
#include <utility>

namespace orthros::session {
namespace {

using text::SpecialTokens;
using text::TokenId;

std::string_view trimmed(std::string_view text) {
  constexpr const char* space = " \t\r\n";
  const size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

void addBos(const text::Vocabulary& vocabulary, std::vector<TokenId>& tokens) {
  const auto bos = vocabulary.bos();
  if (!vocabulary.addBos() || !bos || (!tokens.empty() && tokens.front() == *bos)) return;
  tokens.insert(tokens.begin(), *bos);
}

// The document without the white space at its end.
std::string_view withoutEnd(std::string_view document) {
  return document.substr(0, document.find_last_not_of(" \t\r\n\f") + 1);
}

// The question's turn with the documents in front of it, a blank line after each.
std::vector<text::ChatMessage> messagesOf(const AskRequest& request) {
  std::vector<text::ChatMessage> messages;
  for (const Turn& turn : request.turns) messages.push_back({turn.role, turn.text});
  std::string content;
  for (const std::string& document : request.documents) {
    content += withoutEnd(document);
    content += "\n\n";
  }
  messages.back().content.insert(0, content);
  return messages;
}

}  // namespace

// A part of the rendered conversation that is tokenised as one or stands for known tokens.
struct PromptBuilder::Piece {
  std::string text;
  bool fromTemplate = false;
  bool isolated = false;  // holds what looks like a control token: tokenised alone and plain
  const Turn* answer = nullptr;
  const KnownAnswer* known = nullptr;
};

PromptBuilder::PromptBuilder(std::shared_ptr<const text::Vocabulary> vocabulary,
                             std::shared_ptr<const text::ChatTemplate> chat)
    : vocabulary_(std::move(vocabulary)), chat_(std::move(chat)) {
  for (TokenId token = 0; token < vocabulary_->size(); ++token) {
    const text::TokenKind kind = vocabulary_->kindOf(token);
    const bool special = kind == text::TokenKind::control || kind == text::TokenKind::unknown;
    if (special && !vocabulary_->textOf(token).empty())
      controlTexts_.emplace_back(vocabulary_->textOf(token));
  }
}

Result<std::vector<Segment>> PromptBuilder::build(const AskRequest& request,
                                                  std::span<const KnownAnswer> known,
                                                  const CancelToken& cancel) const {
  if (request.turns.empty() || request.turns.back().role != "user") {
    return fail(ErrorCode::invalidArgument, "conversation", "does not end with a question", "Ask something");
  }
  ORTHROS_ASSIGN(const auto rendered, chat_->renderSegments(messagesOf(request), true));
  std::vector<Piece> parts = pieces(rendered, request.turns, known);
  isolateControlTexts(parts);
  return tokenize(parts, cancel);
}

// Content pieces come in the order of the turns; one that equals an assistant turn, perhaps trimmed, is that
// answer.
std::vector<PromptBuilder::Piece> PromptBuilder::pieces(const std::vector<text::TemplateSegment>& rendered,
                                                        std::span<const Turn> turns,
                                                        std::span<const KnownAnswer> known) const {
  std::vector<Piece> parts;
  auto turn = turns.begin();
  for (const text::TemplateSegment& segment : rendered) {
    Piece piece{.text = segment.text, .fromTemplate = segment.fromTemplate};
    const auto shows = [&](const Turn& one) { return trimmed(one.text) == trimmed(segment.text); };
    const auto shown = segment.fromTemplate ? turns.end() : std::find_if(turn, turns.end(), shows);
    if (shown != turns.end()) {
      turn = shown + 1;
      if (shown->role == "assistant") piece.answer = &*shown;
    }
    if (piece.answer) {
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const KnownAnswer& one) { return one.text == piece.answer->text; });
      if (found != known.end()) piece.known = &*found;
    }
    parts.push_back(std::move(piece));
  }
  return parts;
}

// Marks every content piece that a control token's text touches, also one that only ends or begins it.
void PromptBuilder::isolateControlTexts(std::vector<Piece>& parts) const {
  std::string whole;
  std::vector<size_t> ends;
  for (const Piece& piece : parts) ends.push_back((whole += piece.text).size());
  for (const std::string& control : controlTexts_) {
    for (size_t at = whole.find(control); at != std::string::npos; at = whole.find(control, at + 1)) {
      size_t index = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin();
      for (; index < parts.size() && ends[index] - parts[index].text.size() < at + control.size(); ++index) {
        parts[index].isolated = parts[index].isolated || !parts[index].fromTemplate;
      }
    }
  }
}

// Neighbouring pieces are tokenised as one text, as the model saw them in training, unless one is isolated.
Result<std::vector<Segment>> PromptBuilder::tokenize(const std::vector<Piece>& parts,
                                                     const CancelToken& cancel) const {
  std::vector<Segment> segments;
  std::string joined;
  const auto append = [&](std::span<const TokenId> tokens, bool answer) {
    if (tokens.empty()) return;
    if (segments.empty() || answer || segments.back().answer) segments.push_back({{}, answer});
    segments.back().tokens.insert(segments.back().tokens.end(), tokens.begin(), tokens.end());
  };
  const auto take = [&](std::string_view text, SpecialTokens special, bool answer) -> Status {
    ORTHROS_ASSIGN(const auto tokens, vocabulary_->tokenize(text, special, &cancel));
    append(tokens, answer);
    return {};
  };
  for (const Piece& piece : parts) {
    if (!piece.isolated && !piece.answer) {
      joined += piece.text;
      continue;
    }
    ORTHROS_TRY(take(std::exchange(joined, {}), SpecialTokens::parse, false));
    if (piece.known) {
      append(piece.known->tokens, true);
    } else {
      ORTHROS_TRY(take(piece.text, SpecialTokens::plain, piece.answer != nullptr));
    }
  }
  ORTHROS_TRY(take(joined, SpecialTokens::parse, false));
  if (segments.empty()) segments.emplace_back();
  addBos(*vocabulary_, segments.front().tokens);
  return segments;
}

Result<Segment> plainPrompt(const text::Vocabulary& vocabulary, std::string_view text, SpecialTokens special,
                            const CancelToken& cancel) {
  Segment segment;
  ORTHROS_ASSIGN(segment.tokens, vocabulary.tokenize(text, special, &cancel));
  addBos(vocabulary, segment.tokens);
  return segment;
}

}  // namespace orthros::session
