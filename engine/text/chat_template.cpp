#include "engine/text/chat_template.hpp"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <mutex>

#include "engine/text/chat_template_input.hpp"
#include "engine/text/jinja/evaluator.hpp"
#include "engine/text/jinja/json_input.hpp"
#include "engine/text/jinja/parser.hpp"

namespace orthros::text {
namespace {

using jinja::Origin;
using jinja::Value;

constexpr const char* rawSource =
    "{% for message in messages %}"
    "{{ message.role | capitalize }}: {{ message.content }}\n\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}";

std::tm localTime() {
  static std::mutex mutex;  // std::localtime answers in one buffer for all threads
  const std::scoped_lock lock(mutex);
  const std::time_t now = std::time(nullptr);
  const std::tm* local = std::localtime(&now);
  return local != nullptr ? *local : std::tm{};
}

// A role stands among the template's control tokens, so it must not be able to look like one.
Result<Value> roleValue(std::string_view role) {
  const bool plain = !role.empty() && role.size() <= 64 && std::all_of(role.begin(), role.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!plain) {
    return fail(ErrorCode::invalidArgument, "chat message",
                "the role '" + std::string(role) + "' is no plain word",
                "Use a role such as system, user or assistant");
  }
  return jinja::makeText(std::string(role));
}

Result<Value> plainMessage(const ChatMessage& message) {
  ORTHROS_ASSIGN(Value role, roleValue(message.role));
  ORTHROS_ASSIGN(Value content, jinja::boundedText(message.content, Origin::content, "a message"));
  return jinja::makeMapping(
      {{jinja::makeText("role"), std::move(role)}, {jinja::makeText("content"), std::move(content)}});
}

Result<Value> jsonMessage(const nlohmann::ordered_json& json) {
  ORTHROS_ASSIGN(const Value converted, jinja::fromJson(json, Origin::content));
  const auto* mapping = converted.asMapping();
  if (mapping == nullptr) return fail(ErrorCode::invalidArgument, "chat message", "is not an object");
  std::vector<jinja::Mapping::Entry> entries = mapping->entries;
  for (auto& [key, value] : entries) {
    const auto* name = key.as<jinja::Text>();
    const auto* role = value.as<jinja::Text>();
    if (name == nullptr || name->bytes() != "role" || role == nullptr) continue;
    ORTHROS_ASSIGN(value, roleValue(role->bytes()));
  }
  return jinja::makeMapping(std::move(entries));
}

template <class Messages, class Convert>
Result<Value> messageList(const Messages& messages, Convert convert) {
  std::vector<Value> items;
  for (const auto& message : messages) {
    ORTHROS_ASSIGN(Value item, convert(message));
    items.push_back(std::move(item));
  }
  return jinja::makeSequence(jinja::SequenceKind::list, std::move(items));
}

std::vector<TemplateSegment> segmentsOf(const jinja::Text& text) {
  std::vector<TemplateSegment> segments;
  text.forEachRun([&](std::string_view run, Origin origin) {
    segments.push_back({std::string(run), origin == Origin::templateText});
  });
  return segments;
}

}  // namespace

struct ChatTemplate::Program {
  jinja::Limits limits;
  jinja::Block block;

  Result<std::vector<TemplateSegment>> run(Value messages, bool addGenerationPrompt, const Special& special,
                                           jinja::Variables further, const std::tm& now) const {
    jinja::Variables variables = {{"messages", std::move(messages)},
                                  {"add_generation_prompt", Value(addGenerationPrompt)},
                                  {"tools", Value()},
                                  {"documents", Value()},
                                  {"bos_token", jinja::makeText(special.bosToken)},
                                  {"eos_token", jinja::makeText(special.eosToken)}};
    std::move(further.begin(), further.end(), std::back_inserter(variables));
    ORTHROS_ASSIGN(const jinja::Text text, jinja::Evaluator(limits, now).render(block, std::move(variables)));
    return segmentsOf(text);
  }
};

Result<ChatTemplate> ChatTemplate::parse(std::string source, Special special) {
  auto program = std::make_shared<Program>();
  ORTHROS_ASSIGN(program->block, jinja::parseTemplate(source, program->limits));
  return ChatTemplate(std::move(program), std::move(source), std::move(special));
}

ChatTemplate ChatTemplate::raw() {
  ChatTemplate plain = *parse(rawSource, {});
  plain.isRaw_ = true;
  return plain;
}

Result<std::vector<TemplateSegment>> ChatTemplate::renderSegments(std::span<const ChatMessage> messages,
                                                                  bool addGenerationPrompt) const {
  ORTHROS_ASSIGN(Value list, messageList(messages, plainMessage));
  return program_->run(std::move(list), addGenerationPrompt, special_, {}, localTime());
}

Result<std::vector<TemplateSegment>> ChatTemplate::renderSegments(const Input& input) const {
  ORTHROS_ASSIGN(Value list, messageList(input.messages, jsonMessage));
  jinja::Variables further;
  for (const auto& [name, json] : input.variables.items()) {
    ORTHROS_ASSIGN(Value value, jinja::fromJson(json, Origin::content));
    further.emplace_back(name, std::move(value));
  }
  return program_->run(std::move(list), input.addGenerationPrompt, special_, std::move(further),
                       input.now.value_or(localTime()));
}

namespace {

Result<std::string> joined(Result<std::vector<TemplateSegment>> segments) {
  if (!segments) return fail(std::move(segments).error());
  std::string text;
  for (const TemplateSegment& segment : *segments) text += segment.text;
  return text;
}

}  // namespace

Result<std::string> ChatTemplate::render(std::span<const ChatMessage> messages,
                                         bool addGenerationPrompt) const {
  return joined(renderSegments(messages, addGenerationPrompt));
}

Result<std::string> ChatTemplate::render(const Input& input) const {
  return joined(renderSegments(input));
}

}  // namespace orthros::text
