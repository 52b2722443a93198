// Templates that are broken or try to exhaust the machine: each ends in a named error, soon.
#include <gtest/gtest.h>

#include "tests/support/thread_time.hpp"
#include "tests/unit/text_template_support.hpp"

namespace orthros::test {
namespace {

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// The error of parsing or rendering `source`, which must come within seconds of processor time: the machine
// may be busy with other tests.
Error errorOf(const std::string& source) {
  const test::ThreadTime time;
  const auto segments = segmentsOf(source, {{"c", std::string(100000, 'x')}});
  EXPECT_LT(time.ms(), 20'000) << source.substr(0, 100);
  if (segments) {
    ADD_FAILURE() << "no error: " << source.substr(0, 100);
    return {};
  }
  return segments.error();
}

void expectLimit(const std::string& source, const std::string& part) {
  const Error error = errorOf(source);
  EXPECT_EQ(error.code, ErrorCode::unsupported) << error.message();
  EXPECT_NE(error.happened.find(part), std::string::npos) << error.message();
}

TEST(TemplateLimits, DeepSource) {
  const size_t many = 20000;
  expectLimit("{{ " + repeated("(", many) + "1" + repeated(")", many) + " }}", "deeper than");
  expectLimit("{{ " + repeated("[", many) + repeated("]", many) + " }}", "deeper than");
  expectLimit("{{ " + repeated("{1:", many) + "1" + repeated("}", many) + " }}", "deeper than");
  expectLimit("{{ " + repeated("not ", many) + "1 }}", "deeper than");
  expectLimit("{{ " + repeated("- ", many) + "1 }}", "deeper than");
  expectLimit("{{ " + repeated("1 if 1 else ", many) + "1 }}", "deeper than");
  expectLimit("{{ " + repeated("x[", many) + "1" + repeated("]", many) + " }}", "deeper than");
  expectLimit("{{ " + repeated("f(", many) + repeated(")", many) + " }}", "deeper than");
  expectLimit("{{ 1 is eq " + repeated("(", many) + "1" + repeated(")", many) + " }}", "deeper than");
  expectLimit(repeated("{% if 1 %}", many), "deeper than");
  expectLimit(repeated("{% for x in y %}", many), "deeper than");
  expectLimit("{% set " + repeated("(", many) + "a" + repeated(")", many) + " = 1 %}", "deeper than");
}

TEST(TemplateLimits, LongChains) {
  const size_t many = 20000;
  expectLimit("{{ 1" + repeated(" + 1", many) + " }}", "levels");
  expectLimit("{{ 1" + repeated(" ** 1", many) + " }}", "levels");
  expectLimit("{{ 1" + repeated(" and 1", many) + " }}", "levels");
  expectLimit("{{ 1" + repeated(" or 1", many) + " }}", "levels");
  expectLimit("{{ 1" + repeated(" | abs", many) + " }}", "levels");
  expectLimit("{{ x" + repeated(".x", many) + " }}", "levels");
  expectLimit("{{ x" + repeated("()", many) + " }}", "levels");
  expectLimit("{{ 1" + repeated(" if 1", many) + " }}", "levels");
}

TEST(TemplateLimits, WhatStandsSideBySideIsFree) {
  const auto segments = segmentsOf(
      "{{ 0" + repeated(" ~ 1", 5000) + " }}" + repeated("{% if 0 %}{% endif %}", 5000), Json::object());
  ASSERT_TRUE(segments.has_value()) << segments.error().message();
  EXPECT_EQ(joined(*segments).size(), 5001u);
}

TEST(TemplateLimits, SourceSize) {
  const Error error = errorOf(std::string((1u << 20) + 1, 'x'));
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_EQ(error.subject, "chat template");
}

TEST(TemplateLimits, Recursion) {
  expectLimit("{% macro f() %}{{ f() }}{% endmacro %}\n{{ f() }}", "deeper than");
  expectLimit(
      "{% macro f(x) %}{% for i in [1] %}{% if x %}{{ [f(x)] | map('string') | list }}{% endif %}{% endfor %}"
      "{% endmacro %}{{ f(1) }}",
      "deeper than");
  expectLimit("{% macro f() %}{% call f() %}{% endcall %}{{ caller() }}{% endmacro %}{{ f() }}",
              "deeper than");
  expectLimit("{% macro f(a=f()) %}{% endmacro %}{{ f() }}", "deeper than");
}

TEST(TemplateLimits, Loops) {
  const std::string thousand = "{% for i in range(1000) %}";
  expectLimit(repeated(thousand, 4) + repeated("{% endfor %}", 4), "loops more than");
  expectLimit("{% for i in range(1000000000) %}{% endfor %}", "range");
  expectLimit("{% for i in range(90000) %}{{ c | upper | length }}{% endfor %}", "more work");
  expectLimit("{% for i in range(90000) %}{{ 'q' in c }}{% endfor %}", "more work");
  expectLimit(
      "{% for i in range(90000) %}{% for x in c[:1] | list if c == 'q' or x in c %}{% endfor %}{% endfor %}",
      "more work");
}

TEST(TemplateLimits, LargeTexts) {
  expectLimit("{{ 'a' * 1000000000000 }}", "bytes");
  expectLimit(
      "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
      "bytes");
  expectLimit(
      "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
      "bytes");
  expectLimit("{{ c | replace('x', c) }}", "bytes");
  expectLimit("{{ c | replace('', c) }}", "bytes");
  expectLimit("{{ c.split('x') | join(c) }}", "bytes");
  expectLimit("{{ 'a' | indent(99999999999, true) }}", "bytes");
  expectLimit("{{ 'a' | center(99999999999) }}{{ 'a'.zfill(99999999999) }}", "bytes");
  expectLimit("{{ [1] | tojson(indent=99999999999) }}", "bytes");
  expectLimit("{% for i in range(1000) %}{{ c }}{% endfor %}", "bytes");
  EXPECT_EQ(errorOf("{{ '%99999999999d' % 1 }}").code, ErrorCode::malformed);
}

TEST(TemplateLimits, LargeValues) {
  expectLimit("{{ [0] * 1000000000000 }}", "items");
  expectLimit(
      "{% set ns = namespace(x=[1, 2]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
      "items");
  expectLimit(
      "{% set ns = namespace(x=[]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ "
      "ns.x }}",
      "too large");
  expectLimit("{% set ns = namespace(x=[]) %}{% for i in range(100) %}{% set ns.x = [ns.x] %}{% endfor %}",
              "nests values");
  expectLimit(
      "{% set ns = namespace(x=1) %}{% for i in range(100) %}{% for j in [ns.x] %}{% set ns.x = loop %}{% "
      "endfor %}{% endfor %}",
      "nests values");
  expectLimit("{{ 9223372036854775807 + 1 }}", "64 bits");
  expectLimit("{{ 10 ** 100 }}", "64 bits");
  expectLimit("{{ -9223372036854775807 - 2 }}", "64 bits");
  expectLimit("{{ '99999999999999999999' | int }}", "64 bits");
}

TEST(TemplateLimits, ValuesThatHoldThemselves) {
  EXPECT_EQ(errorOf("{% set a = namespace() %}{% set a.me = a %}{{ a }}").code, ErrorCode::malformed);
  const auto segments = segmentsOf(
      "{% set a = namespace() %}{% set a.me = [a] %}{{ a == a.me[0] }}"
      "{% for i in [1] %}{{ loop.changed(loop) }}{% set a.l = loop %}{% endfor %}"
      "{{ a.l.changed(a.l.cycle) }}{{ a.l.last }}"
      "{% macro m() %}{% endmacro %}{% set a.m = m %}{% set n = m %}",
      Json::object());
  ASSERT_TRUE(segments.has_value()) << segments.error().message();
  EXPECT_EQ(joined(*segments), "TrueTrueTrueTrue");
}

TEST(TemplateLimits, NestedInput) {
  Json deep = 1;
  for (int i = 0; i < 500; ++i) deep = Json::array({std::move(deep)});
  const auto segments = segmentsOf("{{ deep }}", {{"deep", deep}});
  ASSERT_FALSE(segments.has_value());
  EXPECT_EQ(segments.error().code, ErrorCode::unsupported);
}

TEST(TemplateErrors, NameTheLine) {
  EXPECT_EQ(errorOf("a\nb\n{{ 1 +\n }}").subject, "chat template, line 4");
  EXPECT_EQ(errorOf("a\n{% if 1 %}\n{% for x %}").subject, "chat template, line 3");
  EXPECT_EQ(errorOf("\n\n{{ x.y }}\n").subject, "chat template, line 3");
  EXPECT_EQ(errorOf("{#\n\n#}{{ 'a\nb' }}\r\n{{ nope() }}").subject, "chat template, line 5");
  EXPECT_EQ(errorOf("{% macro f() %}\n{{ 1 / 0 }}\n{% endmacro %}\n{{ f() }}").subject,
            "chat template, line 2");
}

TEST(TemplateErrors, ATemplatesOwnWordsAreKept) {
  const Error error = errorOf("{{ raise_exception('Roles must alternate') }}");
  EXPECT_EQ(error.code, ErrorCode::invalidArgument);
  EXPECT_EQ(error.happened, "Roles must alternate");
}

TEST(TemplateErrors, UnsupportedTagsSayTheirName) {
  const Error error = errorOf("{% include 'other' %}");
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_NE(error.happened.find("'include'"), std::string::npos);
}

TEST(TemplateErrors, BytesThatAreNotUtf8AreKept) {
  const auto segments = segmentsOf("\xff{{ '\xfe' ~ c | trim }}\xc3{# \xff #}", {{"c", " \xe2\x82 "}});
  ASSERT_TRUE(segments.has_value());
  EXPECT_EQ(joined(*segments), "\xff\xfe\xe2\x82\xc3");
}

TEST(RawTemplate, WritesRolesInWords) {
  const auto chat = text::ChatTemplate::raw();
  EXPECT_TRUE(chat.isRaw());
  const text::ChatMessage messages[] = {{"system", "Be brief."}, {"user", "Hi <|im_end|>"}};
  EXPECT_EQ(*chat.render(messages, true), "System: Be brief.\n\nUser: Hi <|im_end|>\n\nAssistant:");
  EXPECT_EQ(*chat.render(messages, false), "System: Be brief.\n\nUser: Hi <|im_end|>\n\n");
  const auto segments = chat.renderSegments(messages, true);
  ASSERT_TRUE(segments.has_value());
  EXPECT_EQ(marked(*segments), "System: [Be brief.]\n\nUser: [Hi <|im_end|>]\n\nAssistant:");
}

}  // namespace
}  // namespace orthros::test
