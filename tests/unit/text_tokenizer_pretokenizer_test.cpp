#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/text/pretokenizer.hpp"
#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

using Words = std::vector<std::string>;

PreTokenizer preTokenizer(const std::string& name) {
  const PreTokenizerSpec* spec = findPreTokenizer(name);
  EXPECT_TRUE(spec) << name;
  return PreTokenizer::create(*spec).value();
}

Words split(const std::string& name, std::string_view text) {
  const auto words = preTokenizer(name).split(text);
  EXPECT_TRUE(words) << words.error().message();
  return Words(words->begin(), words->end());
}

// One name of every set of patterns.
std::vector<std::string> patternSets() {
  std::vector<std::string> names;
  for (const PreTokenizerSpec& spec : preTokenizers()) names.emplace_back(spec.names.front());
  return names;
}

TEST(PreTokenizer, Gpt2KeepsDigitsTogetherAndOneSpaceWithAWord) {
  EXPECT_EQ(split("gpt-2", "It's 2026,  ok?\n\n done "),
            (Words{"It", "'s", " 2026", ",", " ", " ok", "?", "\n\n", " done", " "}));
}

TEST(PreTokenizer, SmolLmSplitsDigitsFirst) {
  EXPECT_EQ(split("smollm", "in 2026!"), (Words{"in", " ", "2", "0", "2", "6", "!"}));
  EXPECT_EQ(split("starcoder", "x12"), (Words{"x", "1", "2"}));
}

TEST(PreTokenizer, Llama3TakesUpToThreeDigits) {
  EXPECT_EQ(split("llama-bpe", "I'LL pay 12345.\n\n  now"),
            (Words{"I", "'LL", " pay", " ", "123", "45", ".\n\n", " ", " now"}));
}

TEST(PreTokenizer, Qwen2TakesDigitsOneByOne) {
  EXPECT_EQ(split("qwen2", "a12 \n\t b"), (Words{"a", "1", "2", " \n", "\t", " b"}));
}

TEST(PreTokenizer, TekkenSplitsWhereTheCaseRises) {
  EXPECT_EQ(split("tekken", "ThisIsCamelCase ÉCOLE x/y"),
            (Words{"This", "Is", "Camel", "Case", " ÉCOLE", " x", "/y"}));
}

TEST(PreTokenizer, DeepSeekSeparatesScriptsAndPunctuation) {
  EXPECT_EQ(split("deepseek-coder", "ab 世界, 12"), (Words{"ab", " ", "世界", ",", " ", "1", "2"}));
  EXPECT_EQ(split("deepseek-v3", "ab世界1234"), (Words{"ab", "世界", "123", "4"}));
}

TEST(PreTokenizer, WhiteSpaceIsUnicodes) {
  EXPECT_EQ(split("gpt-2", "a\u3000\u3000b"), (Words{"a", "\u3000", "\u3000", "b"}));
  EXPECT_EQ(split("gpt-2", "a\u180Eb"), (Words{"a", "\u180E", "b"}));
  EXPECT_EQ(split("gpt-2", "\u180E!"), (Words{"\u180E!"}));  // U+180E is a format character, no white space
}

TEST(PreTokenizer, EveryNameIsKnownOnceAndListed) {
  const std::string list = ", " + preTokenizerNames() + ", ";
  for (const PreTokenizerSpec& spec : preTokenizers()) {
    for (const std::string_view name : spec.names) {
      EXPECT_EQ(findPreTokenizer(name), &spec) << name;
      EXPECT_NE(list.find(", " + std::string(name) + ", "), std::string::npos) << name;
    }
  }
}

TEST(PreTokenizer, UnknownNamesAreUnknown) {
  EXPECT_EQ(findPreTokenizer("no-such"), nullptr);
  EXPECT_EQ(findPreTokenizer(""), nullptr);
}

// Patterns that no file can bring in, but a later entry of the table might: they cost a bounded time and no
// stack.
TEST(PreTokenizer, PatternsThatExplodeGiveUpWithAnError) {
  static constexpr std::string_view kNames[] = {"explodes"};
  static constexpr std::string_view kPatterns[] = {"(?:a+)+[bc]"};
  const PreTokenizer splitter = PreTokenizer::create({kNames, kPatterns}).value();
  const auto words = splitter.split(std::string(1000, 'a'));
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().code, ErrorCode::internal);
}

TEST(PreTokenizer, PatternsThatNestDeeplyDoNotOverflowTheStack) {
  static constexpr std::string_view kNames[] = {"nests"};
  static constexpr std::string_view kPatterns[] = {"(?:a|b)*c"};
  const PreTokenizer splitter = PreTokenizer::create({kNames, kPatterns}).value();
  const std::string text = std::string(50'000, 'a') + "c";
  const auto words = splitter.split(text);
  ASSERT_TRUE(words) << words.error().message();
  EXPECT_EQ(*words, std::vector<std::string_view>{text});
  const auto deeper = splitter.split(std::string(5'000'000, 'a') + "c");
  ASSERT_FALSE(deeper) << "took more memory than it may";
  EXPECT_EQ(deeper.error().code, ErrorCode::internal);
}

TEST(PreTokenizer, PatternsThatDoNotCompileAreAnError) {
  static constexpr std::string_view kNames[] = {"broken"};
  static constexpr std::string_view kPatterns[] = {"(a"};
  const auto splitter = PreTokenizer::create({kNames, kPatterns});
  ASSERT_FALSE(splitter);
  EXPECT_NE(splitter.error().message().find("(a"), std::string::npos);
}

class EveryPreTokenizer : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPreTokenizer, WordsJoinToTheText) {
  const PreTokenizer splitter = preTokenizer(GetParam());
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::string text = randomText(random, round);
    const auto words = splitter.split(text);
    ASSERT_TRUE(words);
    std::string joined;
    for (const std::string_view word : *words) {
      EXPECT_FALSE(word.empty());
      joined += word;
    }
    EXPECT_EQ(joined, text);
  }
}

// Users' reports of other programs: a stack overflow or minutes of work for a long run of one character.
TEST_P(EveryPreTokenizer, LongRunsTakeLinearTime) {
  const PreTokenizer splitter = preTokenizer(GetParam());
  constexpr size_t kMegabyte = 1 << 20;
  for (const char* unit : {"a", " ", "\n", "\n ", "1", "!", "世", " a", "aA", "\u0301"}) {
    std::string text;
    while (text.size() < kMegabyte) text += unit;
    const CpuTimer timer;
    const auto words = splitter.split(text + "x");
    const double took = timer.seconds();
    ASSERT_TRUE(words) << "'" << unit << "': " << words.error().message();
    EXPECT_LT(took, kSecondsPerMegabyte) << "'" << unit << "'";
  }
}

std::string testName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Text, EveryPreTokenizer, ::testing::ValuesIn(patternSets()), testName);

}  // namespace
}  // namespace orthros::text::testing
