// The full input of a chat template, for conversations with tools. Apart from chat_template.hpp because it
// needs JSON.
#pragma once

#include <ctime>
#include <optional>

#include <nlohmann/json.hpp>

#include "engine/text/chat_template.hpp"

namespace orthros::text {

struct ChatTemplate::Input {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();  // objects with "role", "content", ...
  bool addGenerationPrompt = false;
  // Further variables, e.g. "tools", "documents", "date_string". Not given, tools and documents are none.
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
  std::optional<std::tm> now;  // the local time for strftime_now(); absent: the present
};

}  // namespace orthros::text
