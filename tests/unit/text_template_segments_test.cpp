// Which text of the output comes from the conversation. marked() puts it in brackets.
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/text_template_support.hpp"

namespace orthros::test {
namespace {

std::string markedOutput(const std::string& source, const Json& variables) {
  const auto segments = segmentsOf(source, variables);
  if (!segments) return "error: " + segments.error().message();
  for (size_t i = 0; i < segments->size(); ++i) {
    EXPECT_FALSE((*segments)[i].text.empty());
    if (i > 0) {
      EXPECT_NE((*segments)[i].fromTemplate, (*segments)[i - 1].fromTemplate) << "not merged";
    }
  }
  return marked(*segments);
}

TEST(TemplateSegments, OriginIsExactThroughTextOperations) {
  const Json c = {{"c", " 12 34 "}};
  EXPECT_EQ(markedOutput("a{{ c }}b", c), "a[ 12 34 ]b");
  EXPECT_EQ(markedOutput("{{ 'a' + c + 'b' }}", c), "a[ 12 34 ]b");
  EXPECT_EQ(markedOutput("{{ '<' ~ c ~ 1 ~ '>' }}", c), "<[ 12 34 ]1>");
  EXPECT_EQ(markedOutput("{{ 'a' + c | trim + 'b' }}", c), "a[12 34]b");
  EXPECT_EQ(markedOutput("{{ (' a' + c + 'b ') | trim }}", c), "a[ 12 34 ]b");
  EXPECT_EQ(markedOutput("{{ ('a' + c)[:3] ~ c[1] ~ c[::-1] }}", c), "a[ 11 43 21 ]");
  EXPECT_EQ(markedOutput("{{ ('a' + c + 'b')[::2] }}", c), "a[1 4]b");
  EXPECT_EQ(markedOutput("{{ ('x,' + c + ',y').split(',') | join('|') }}", c), "x|[ 12 34 ]|y");
  EXPECT_EQ(markedOutput("{{ c.split() | join('-') }}", c), "[12]-[34]");
  EXPECT_EQ(markedOutput("{{ 'a_b_' | replace('_', c) }}", c), "a[ 12 34 ]b[ 12 34 ]");
  EXPECT_EQ(markedOutput("{{ ('x' + c).replace(' ', '.') }}", c), "x.[12].[34].");
  EXPECT_EQ(markedOutput("{{ 'ab' * 2 ~ c * 2 }}", c), "abab[ 12 34  12 34 ]");
  EXPECT_EQ(markedOutput("{{ '%s=%d;%5s' % (c, 7, c.strip()) }}", c), "[ 12 34 ]=7;[12 34]");
  EXPECT_EQ(markedOutput("{{ 'k={}'.format(c) }}", c), "k=[ 12 34 ]");
  EXPECT_EQ(markedOutput("{{ ('a\n' + c) | indent(2) }}", c), "a\n  [ 12 34 ]");
  EXPECT_EQ(markedOutput("{{ c | trim | center(7) }}", c), " [12 34] ");
  EXPECT_EQ(markedOutput("{{ c | string | list | first }}{{ c | e }}{{ c | safe }}", c), "[  12 34  12 34 ]");
  EXPECT_EQ(markedOutput("{{ (c + 'abc') | truncate(8, true, '>', 0) }}", c), "[ 12 34 ]>");
}

TEST(TemplateSegments, OriginIsExactThroughValues) {
  const Json c = {{"c", "12"}, {"m", {{"k", "3"}}}};
  EXPECT_EQ(markedOutput("{{ [c, 'a'] }}", c), "['[12]', 'a']");
  EXPECT_EQ(markedOutput("{{ {'a': c} | tojson }}", c), "{\"a\": \"[12]\"}");
  EXPECT_EQ(markedOutput("{{ m | tojson }}", c), "{\"[k]\": \"[3]\"}");
  EXPECT_EQ(markedOutput("{{ [c] | tojson(indent=1) }}", c), "[\n \"[12]\"\n]");
  EXPECT_EQ(markedOutput("{% set x = c %}{% set ns = namespace(y=x) %}a{{ ns.y }}", c), "a[12]");
  EXPECT_EQ(markedOutput("{% set x %}a{{ c }}b{% endset %}{{ x }}", c), "a[12]b");
  EXPECT_EQ(markedOutput("{% macro f(v) %}<{{ v }}>{% endmacro %}{{ f(c) ~ f('t') }}", c), "<[12]><t>");
  EXPECT_EQ(
      markedOutput("{% macro f() %}({{ caller() }}){% endmacro %}{% call f() %}{{ c }}{% endcall %}", c),
      "([12])");
  EXPECT_EQ(markedOutput("{% filter trim %} {{ c }} {% endfilter %}", c), "[12]");
  EXPECT_EQ(markedOutput("{% for x in c %}{{ x }}.{% endfor %}", c), "[1].[2].");
  EXPECT_EQ(markedOutput("{{ {'a': c}.items() | list }}", c), "[('a', '[12]')]");
  EXPECT_EQ(markedOutput("{{ c if c else 'a' }}{{ '' or c }}{{ c and 'a' }}", c), "[1212]a");
  EXPECT_EQ(markedOutput("{{ m.k | default('a') }}{{ m.z | default(c) }}", c), "[312]");
  EXPECT_EQ(markedOutput("{{ ['b', c, 'a'] | sort | join }}{{ [c, 'a'] | map('string') | join('-') }}", c),
            "[12]ab[12]-a");
}

TEST(TemplateSegments, WhatCannotBeTracedCountsAsContent) {
  const Json c = {{"c", "é"}};
  EXPECT_EQ(markedOutput("{{ ('a' + c) | upper }}|{{ 'a' | upper }}", c), "[AÉ]|A");
  EXPECT_EQ(markedOutput("{{ ('a' + c) | title }}{{ ('b' + c).capitalize() }}", c), "[AéBé]");
  EXPECT_EQ(markedOutput("{{ [c, 'a'] | unique | list | first }}{{ strftime_now(c) }}", c), "[éé]");
}

TEST(TemplateSegments, NumbersOutOfContentAreHarmless) {
  EXPECT_EQ(markedOutput("{{ c | length }}{{ c | int + 1 }}", {{"c", "41"}}), "242");
}

TEST(TemplateSegments, ControlTokensInAMessageAreContent) {
  const std::string source =
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m['content'] | trim }}<|im_end|>\n{% endfor %}"
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
  const auto chat = text::ChatTemplate::parse(source, {});
  ASSERT_TRUE(chat.has_value());
  const text::ChatMessage messages[] = {{"user", " <|im_end|> "}};
  const auto segments = chat->renderSegments(messages, true);
  ASSERT_TRUE(segments.has_value());
  const std::vector<text::TemplateSegment> expected = {
      {"<|im_start|>user\n", true}, {"<|im_end|>", false}, {"<|im_end|>\n<|im_start|>assistant\n", true}};
  EXPECT_EQ(*segments, expected);
}

TEST(TemplateSegments, RolesMustBePlainWords) {
  const auto chat = text::ChatTemplate::parse("{{ messages[0].role }}", {});
  ASSERT_TRUE(chat.has_value());
  for (const char* role : {"", "user<|im_end|>", "us er", "us\ner", "ü"}) {
    const text::ChatMessage messages[] = {{role, "x"}};
    const auto refused = chat->render(messages, false);
    ASSERT_FALSE(refused.has_value()) << role;
    EXPECT_EQ(refused.error().code, ErrorCode::invalidArgument);
    text::ChatTemplate::Input input;
    input.messages = Json::array({{{"role", role}, {"content", "x"}}});
    EXPECT_FALSE(chat->render(input).has_value()) << role;
  }
}

TEST(TemplateSegments, ToolsAndFurtherMessageFieldsAreContent) {
  const auto chat = text::ChatTemplate::parse(
      "{{ bos_token }}{{ messages[0].role }}{{ messages[0].name }}{{ tools[0].n }}", {"<s>", ""});
  ASSERT_TRUE(chat.has_value());
  text::ChatTemplate::Input input;
  input.messages = Json::array({{{"role", "tool"}, {"name", "N"}}});
  input.variables["tools"] = Json::array({{{"n", "T"}}});
  const auto segments = chat->renderSegments(input);
  ASSERT_TRUE(segments.has_value()) << segments.error().message();
  EXPECT_EQ(marked(*segments), "<s>tool[NT]");
}

// Template text is written in letters, content in digits; so every character tells where it came from.
class RandomTemplate {
 public:
  explicit RandomTemplate(uint32_t seed) : random_(seed) {}

  std::string expression(int depth) {
    if (depth == 0) return pick({"'ab '", "' xyz\n'", "c", "d[0]", "d[1]", "''", "'k,l'"});
    const std::string inner = expression(depth - 1);
    switch (random_() % 14) {
      case 0:
        return "(" + inner + " + " + expression(depth - 1) + ")";
      case 1:
        return "(" + inner + " ~ " + expression(depth - 1) + ")";
      case 2:
        return "(" + inner + ")[" + number() + ":" + number() + "]";
      case 3:
        return "(" + inner + ")[::" + pick({"-1", "2", "-2"}) + "]";
      case 4:
        return "(" + inner + " | trim)";
      case 5:
        return "(" + inner + ").replace(" + pick({"'a'", "'1'", "''", "' '", "c"}) + ", " + expression(0) +
               ")";
      case 6:
        return "(" + inner + ").split(" + pick({"", "','", "'2'"}) + ") | join(" + expression(0) + ")";
      case 7:
        return "('%s-%s' % (" + inner + ", " + expression(0) + "))";
      case 8:
        return "(" + inner + " | indent(3))";
      case 9:
        return "(" + inner + " * 2)";
      case 10:
        return "((" + inner + ") | list | join('z'))";
      case 11:
        return "(" + inner + ").partition(" + pick({"'b'", "'3'"}) + ") | join('q')";
      case 12:
        return "(" + inner + " | truncate(9, true, 'w', 0))";
      default:
        return "([" + inner + ", " + expression(0) + "] | reverse | join('y'))";
    }
  }

 private:
  std::string pick(std::initializer_list<const char*> choices) {
    return choices.begin()[random_() % choices.size()];
  }
  std::string number() { return std::to_string(static_cast<int>(random_() % 9) - 4); }

  std::mt19937 random_;
};

TEST(TemplateSegments, EveryCharacterOfRandomTemplatesKeepsItsOrigin) {
  const Json variables = {{"c", "12 3"}, {"d", {"4,5", " 67"}}};
  size_t characters = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const std::string source = "{{ " + RandomTemplate(seed).expression(4) + " }}";
    const auto segments = segmentsOf(source, variables);
    ASSERT_TRUE(segments.has_value()) << source << ": " << segments.error().message();
    for (const auto& segment : *segments) {
      for (const char c : segment.text) {
        if (std::isdigit(static_cast<unsigned char>(c))) {
          EXPECT_FALSE(segment.fromTemplate) << source << " gives " << marked(*segments);
        } else if (std::isalpha(static_cast<unsigned char>(c))) {
          EXPECT_TRUE(segment.fromTemplate) << source << " gives " << marked(*segments);
        }
        ++characters;
      }
    }
  }
  EXPECT_GT(characters, 20000u);
}

}  // namespace
}  // namespace orthros::test
