// Feeds the template language with random sources and conversations. The first byte chooses whether the rest
// is taken as it is, or each byte stands for a piece of a template, which gets far deeper.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/text/jinja/evaluator.hpp"
#include "engine/text/jinja/parser.hpp"

namespace {

using namespace orthros::text::jinja;

// clang-format off
constexpr std::string_view pieces[] = {
    "{{ ", " }}", "{% ", " %}", "{%- ", " -%}", "{{- ", " -}}", "{# ", " #}", "\n", "  ", "text",
    "\xc3\xa9", "{% if ", "{% elif ", "{% else %}", "{% endif %}", "{% for i in ", "{% for a, b in ",
    "{% endfor %}", "{% set x = ", "{% set ns.x = ", "{% set x %}", "{% endset %}",
    "{% set ns = namespace(x=1) %}", "{% break %}", "{% continue %}", "{% macro f(a, b=1) %}",
    "{% endmacro %}", "{% call f(", "{% endcall %}", "caller()", "{% filter upper %}", "{% endfilter %}",
    "{% with x = ", "{% endwith %}", "{% raw %}", "{% endraw %}", "{% generation %}", "{% endgeneration %}",
    "(", ")", "[", "]", "{", "}", ",", ":", ".", " | ", " is ", " not ", " in ", " and ", " or ", " if ",
    " else ", " + ", " - ", " * ", " / ", " // ", " % ", " ** ", " ~ ", " == ", " < ", " >= ", "=", "c",
    "m", "x", "ns", "ns.x", "loop", "loop.last", "loop.cycle(", "i", "a", "b", "f(", "1", "0", "-1", "2.5",
    "9223372036854775807", "'s'", "'%s %5d'", "''", "'a b'", "true", "none", "range(", "dict(",
    "namespace(", "m.role", "m['content']", "[1:]", "[::-1]", "[0]", ".strip()", ".split(", ".join(",
    ".replace(", ".format(", ".items()", ".get(", ".title()", ".partition(", "trim", "tojson",
    "tojson(indent=2)", "length", "list", "map(", "map(attribute=", "select(", "selectattr(", "join(",
    "default(", "replace(", "indent(", "sort", "unique", "dictsort", "groupby(", "batch(", "first", "last",
    "reverse", "int", "float", "round(", "string", "format(", "truncate(", "center(", "title", "capitalize",
    "sum", "min", "items", "defined", "mapping", "odd", "divisibleby ", "string", "raise_exception(",
    "strftime_now("};
// clang-format on

std::string assemble(std::string_view bytes) {
  std::string source;
  for (const char byte : bytes) source += pieces[static_cast<uint8_t>(byte) % std::size(pieces)];
  return source;
}

Limits smallLimits() {
  Limits limits;
  limits.loopIterations = 1000;
  limits.work = 200000;
  return limits;
}

Variables makeVariables(std::string_view content) {
  Value text(Text(std::string(content), Origin::content));
  auto message = makeMapping({{makeText("role"), makeText("user")}, {makeText("content"), text}});
  if (!message) std::abort();
  return {{"c", text}, {"m", std::move(*message)}};
}

// Runs of one origin that alternate and add up to the text.
void checkRuns(const Text& text) {
  size_t total = 0;
  const char* previousEnd = text.bytes().data();
  bool first = true;
  Origin last = Origin::content;
  text.forEachRun([&](std::string_view run, Origin origin) {
    if (run.empty() || run.data() != previousEnd || (!first && origin == last)) std::abort();
    previousEnd = run.data() + run.size();
    total += run.size();
    last = origin;
    first = false;
  });
  if (total != text.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t split = std::min(bytes.find('\0'), bytes.size());
  const std::string source =
      (data[0] & 1) != 0 ? assemble(bytes.substr(0, split)) : std::string(bytes.substr(0, split));
  const Limits limits = smallLimits();
  const auto block = parseTemplate(source, limits);
  if (!block) {
    if (block.error().subject.empty() || block.error().happened.empty()) std::abort();
    return 0;
  }
  const auto text = Evaluator(limits, std::tm{}).render(*block, makeVariables(bytes.substr(split)));
  if (text) {
    checkRuns(*text);
  } else if (text.error().subject.empty() || text.error().happened.empty()) {
    if (source.find("raise_exception") == std::string::npos) std::abort();
  }
  return 0;
}
