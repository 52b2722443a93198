// Every construct of the template language on its own. tests/golden/chat_template_snippets.json holds the
// cases with the output of Python's jinja2; a second test checks the records themselves where jinja2 is
// installed.
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/jinja_oracle.hpp"
#include "tests/unit/text_template_support.hpp"

namespace orthros::test {
namespace {

Json recordedCases() {
  std::ifstream file(ORTHROS_TEST_DATA "/golden/chat_template_snippets.json");
  Json cases = Json::parse(file);
  for (Json& entry : cases) {
    if (!entry.contains("variables")) entry["variables"] = Json::object();
  }
  return cases;
}

TEST(TemplateSnippets, RenderAsRecorded) {
  const Json cases = recordedCases();
  ASSERT_GT(cases.size(), 300u);
  for (const Json& entry : cases) {
    SCOPED_TRACE(entry["group"].get<std::string>() + ": " + entry["source"].get<std::string>());
    const auto segments = segmentsOf(entry["source"], entry["variables"]);
    if (entry.contains("error")) {
      ASSERT_FALSE(segments.has_value()) << joined(*segments);
      EXPECT_NE(segments.error().subject.find("line "), std::string::npos) << segments.error().message();
      EXPECT_FALSE(segments.error().nextStep.empty());
    } else {
      ASSERT_TRUE(segments.has_value()) << segments.error().message();
      EXPECT_EQ(joined(*segments), entry["output"].get<std::string>());
    }
  }
}

TEST(TemplateSnippets, RecordsAreWhatPythonRenders) {
  const Json cases = recordedCases();
  const auto rendered = renderWithPython(cases);
  if (!rendered) GTEST_SKIP() << "python3 with jinja2 is not installed";
  ASSERT_EQ(rendered->size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i]["source"].get<std::string>());
    EXPECT_EQ(cases[i].contains("error"), (*rendered)[i].contains("error")) << (*rendered)[i];
    EXPECT_EQ(cases[i].value("output", ""), (*rendered)[i].value("output", ""));
  }
}

}  // namespace
}  // namespace orthros::test
