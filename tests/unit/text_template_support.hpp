// What the tests of chat templates share.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/text/chat_template_input.hpp"

namespace orthros::test {

using Json = nlohmann::ordered_json;

// The moment that render_jinja.py shows too: Saturday, 3 February 2024, 04:05:06.
inline std::tm testTime() {
  std::tm time{};
  time.tm_year = 124;
  time.tm_mon = 1;
  time.tm_mday = 3;
  time.tm_hour = 4;
  time.tm_min = 5;
  time.tm_sec = 6;
  time.tm_wday = 6;
  time.tm_yday = 33;
  return time;
}

inline Result<std::vector<text::TemplateSegment>> segmentsOf(const std::string& source,
                                                             const Json& variables) {
  ORTHROS_ASSIGN(const auto chat, text::ChatTemplate::parse(source, {}));
  text::ChatTemplate::Input input;
  input.variables = variables;
  input.now = testTime();
  return chat.renderSegments(input);
}

inline std::string joined(const std::vector<text::TemplateSegment>& segments) {
  std::string all;
  for (const auto& segment : segments) all += segment.text;
  return all;
}

// "[...]" around what came from the conversation.
inline std::string marked(const std::vector<text::TemplateSegment>& segments) {
  std::string all;
  for (const auto& segment : segments) all += segment.fromTemplate ? segment.text : "[" + segment.text + "]";
  return all;
}

}  // namespace orthros::test
