// The base model under full attention on the default device, against the f32 reference.
#include <gtest/gtest.h>

#include "engine/session/model_files.hpp"
#include "engine/session/prompt.hpp"
#include "engine/session/set_up.hpp"
#include "tests/golden/golden_checks.hpp"

namespace orthros::golden {
namespace {

class BaseGolden : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = whyNotRun(); !why.empty()) GTEST_SKIP() << why;
  }
};
class BaseGoldenHalfCache : public BaseGolden {};
class BaseGoldenFloatCache : public BaseGolden {};

TEST_P(BaseGoldenHalfCache, MeetsTheReference) {
  checkBasePrompt(GetParam(), model::KvPrecision::f16);
}
TEST_P(BaseGoldenFloatCache, MeetsTheReference) {
  checkBasePrompt(GetParam(), model::KvPrecision::f32);
}

INSTANTIATE_TEST_SUITE_P(Prompts, BaseGoldenHalfCache,
                         ::testing::Values("raw-5", "raw-code", "raw-digits", "raw-unicode", "chat-one",
                                           "chat-multi", "raw-control-as-text", "raw-moby-600",
                                           "chat-document-1400", "raw-guide-3000"),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Prompts, BaseGoldenFloatCache,
                         ::testing::Values("raw-5", "raw-code", "raw-digits", "raw-unicode", "chat-one",
                                           "chat-multi", "raw-control-as-text", "raw-moby-600"),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Thorough, BaseGoldenFloatCache,
                         ::testing::Values("chat-document-1400", "raw-guide-3000"), caseName);

// What a person types must become the reference's tokens: through the template, or as plain text.
class BaseGoldenTokens : public BaseGolden {};

TEST_P(BaseGoldenTokens, PromptGivesTheReferencesTokens) {
  const nlohmann::json prompt = caseNamed("smollm2-135m.json", "prompts", GetParam());
  const auto setUp = session::baselineSetUp();
  ASSERT_TRUE(setUp);
  const auto files = session::openModelFiles(setUp->model, {});
  ASSERT_TRUE(files) << files.error().message();
  const auto vocabulary = session::loadVocabulary(*files);
  ASSERT_TRUE(vocabulary) << vocabulary.error().message();
  std::vector<text::TokenId> tokens;
  if (prompt.contains("messages")) {
    const session::PromptBuilder builder(*vocabulary, session::loadChatTemplate(*files, **vocabulary));
    session::AskRequest request;
    for (const auto& message : prompt["messages"])
      request.turns.push_back({message["role"], message["content"]});
    const auto segments = builder.build(request, {}, {});
    ASSERT_TRUE(segments) << segments.error().message();
    for (const session::Segment& segment : *segments) {
      tokens.insert(tokens.end(), segment.tokens.begin(), segment.tokens.end());
    }
  } else {
    const auto special =
        prompt["parse_special"].get<bool>() ? text::SpecialTokens::parse : text::SpecialTokens::plain;
    const auto segment = session::plainPrompt(**vocabulary, prompt["text"].get<std::string>(), special, {});
    ASSERT_TRUE(segment) << segment.error().message();
    tokens = segment->tokens;
  }
  EXPECT_EQ(tokens, prompt["ids"].get<std::vector<text::TokenId>>());
}

INSTANTIATE_TEST_SUITE_P(Prompts, BaseGoldenTokens,
                         ::testing::Values("raw-5", "raw-code", "raw-digits", "raw-unicode", "chat-one",
                                           "chat-multi", "raw-control-as-text", "raw-moby-600",
                                           "chat-document-1400", "raw-guide-3000"),
                         caseName);

}  // namespace
}  // namespace orthros::golden
