// A model's chat template: turns a conversation into the text the model was trained on. Templates are Jinja,
// rendered as the transformers library renders them. What the conversation says never becomes a control
// token: the segments of the output tell which text is the template's own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.hpp"

namespace orthros::text {

struct ChatMessage {
  std::string role;     // "system", "user", "assistant", ...: letters, digits, "_" and "-"
  std::string content;  // UTF-8, at most 16 MiB
};

// A stretch of the output from one origin. Only text from the template may be tokenised with control tokens.
struct TemplateSegment {
  std::string text;  // not empty
  bool fromTemplate = false;
  bool operator==(const TemplateSegment&) const = default;
};

class ChatTemplate {
 public:
  // What the template's variables bos_token and eos_token hold.
  struct Special {
    std::string bosToken;
    std::string eosToken;
  };

  // Everything a template may be given. All strings are content, apart from the roles of the messages.
  struct Input;

  // Errors name the line: malformed where the source breaks Jinja's grammar, unsupported where it uses a part
  // of Jinja that is left out or exceeds a limit. raw() is the way on.
  static Result<ChatTemplate> parse(std::string source, Special special);

  // "User: ...", "Assistant: ..." in plain words, for a model without a usable template.
  static ChatTemplate raw();
  bool isRaw() const { return isRaw_; }
  const std::string& source() const { return source_; }

  // Errors: invalidArgument where the template refuses the conversation (its own words) or a role is no plain
  // word, malformed where it breaks on it, unsupported where it exceeds a limit. Safe from several threads at
  // once.
  Result<std::vector<TemplateSegment>> renderSegments(std::span<const ChatMessage> messages,
                                                      bool addGenerationPrompt) const;
  Result<std::vector<TemplateSegment>> renderSegments(const Input& input) const;
  // The texts of the segments, joined.
  Result<std::string> render(std::span<const ChatMessage> messages, bool addGenerationPrompt) const;
  Result<std::string> render(const Input& input) const;

 private:
  struct Program;
  ChatTemplate(std::shared_ptr<const Program> program, std::string source, Special special)
      : program_(std::move(program)), source_(std::move(source)), special_(std::move(special)) {}

  std::shared_ptr<const Program> program_;
  std::string source_;
  Special special_;
  bool isRaw_ = false;
};

}  // namespace orthros::text
