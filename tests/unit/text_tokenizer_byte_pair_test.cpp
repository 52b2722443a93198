#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/text_tokenizer_support.hpp"

namespace orthros::text::testing {
namespace {

using Texts = std::vector<std::string>;

TEST(BytePairs, MergeInOrderOfRank) {
  const auto vocabulary = make(smallBytePairs());
  EXPECT_EQ(textsOf(*vocabulary, "hello world"), (Texts{"hello", "Ġworld"}));
  EXPECT_EQ(textsOf(*vocabulary, "hel helling"), (Texts{"he", "l", "Ġ", "hell", "ing"}));
  EXPECT_EQ(textsOf(*vocabulary, "aaaaaaa"), (Texts{"aaaa", "aa", "a"}));
  EXPECT_EQ(textsOf(*vocabulary, "é"), (Texts{"Ã©"}));
  EXPECT_EQ(textsOf(*vocabulary, ""), Texts{});
}

// "ab" has the better rank, so "abc" is not split as "a bc" although "bc" comes first from the right.
TEST(BytePairs, TheBestRankWinsEvenWhereAnotherMergeWouldReachFurther) {
  VocabularyData data = smallBytePairs();
  addMerge(data, "x", "y");
  addMerge(data, "y", "z");
  addMerge(data, "yz", "q");
  const auto vocabulary = make(data);
  EXPECT_EQ(textsOf(*vocabulary, "xyzq"), (Texts{"xy", "z", "q"}));
  EXPECT_EQ(textsOf(*vocabulary, "yzq"), (Texts{"yzq"}));
}

// The specification of byte pairs, word by word: merge the best-ranked neighbours until there are none.
std::vector<std::string> mergeNaively(const VocabularyData& data, std::vector<std::string> parts) {
  std::map<std::string, size_t> ranks;
  for (size_t rank = 0; rank < data.merges.size(); ++rank) ranks.emplace(data.merges[rank], rank);
  while (true) {
    size_t best = std::numeric_limits<size_t>::max(), at = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find(parts[i] + " " + parts[i + 1]);
      if (found != ranks.end() && found->second < best) best = found->second, at = i;
    }
    if (best == std::numeric_limits<size_t>::max()) return parts;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<ptrdiff_t>(at) + 1);
  }
}

TEST(BytePairs, RandomMergesGiveWhatTheDefinitionSays) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 40; ++round) {
    VocabularyData data = smallBytePairs();
    data.merges.clear();
    data.tokens.resize(256);
    data.kinds.resize(256);
    data.bos = data.eos = std::nullopt;
    std::vector<std::string> words = {"a", "b", "c", "d"};
    for (int i = 0; i < 20; ++i) {
      const std::string left = words[random() % words.size()], right = words[random() % words.size()];
      if (std::find(data.tokens.begin(), data.tokens.end(), left + right) != data.tokens.end()) continue;
      addMerge(data, left, right);
      words.push_back(left + right);
    }
    const auto vocabulary = make(data);
    for (int i = 0; i < 20; ++i) {
      std::string text;
      std::vector<std::string> letters;
      for (size_t n = random() % 40; n > 0; --n)
        letters.emplace_back(1, "abcd"[random() % 4]), text += letters.back();
      EXPECT_EQ(textsOf(*vocabulary, text), mergeNaively(data, letters)) << text;
    }
  }
}

TEST(BytePairs, WholeWordsAreTakenUnmergedWhereTheFormatSaysSo) {
  VocabularyData data = smallBytePairs();
  addToken(data, "Ġxyz", TokenKind::normal);  // no merge leads here
  data.preTokenizer = "llama-bpe";
  EXPECT_EQ(textsOf(*make(data), "q xyz"), (Texts{"q", "Ġxyz"}));
  data.preTokenizer = "gpt-2";
  EXPECT_EQ(textsOf(*make(data), "q xyz"), (Texts{"q", "Ġ", "x", "y", "z"}));
}

TEST(BytePairs, RandomTextComesBack) {
  const auto vocabulary = make(smallBytePairs());
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::string text = randomText(random, random() % 200);
    EXPECT_EQ(vocabulary->detokenize(tokensOf(*vocabulary, text)), text);
  }
}

TEST(BytePairs, BytesThatAreNotUtf8CountAsReplacementCharacters) {
  const auto vocabulary = make(smallBytePairs());
  EXPECT_EQ(tokensOf(*vocabulary, "a\xFFz\xE4\xB8"), tokensOf(*vocabulary, "a\uFFFDz\uFFFD"));
}

TEST(BytePairs, AByteWithoutATokenBecomesUnknownOrNothingButNeverControl) {
  VocabularyData data = smallBytePairs();
  data.tokens[4] = "gone";
  const auto withoutUnknown = make(data);
  EXPECT_EQ(textsOf(*withoutUnknown, "a\4b"), (Texts{"a", "b"}));
  data.unknown = data.bos;  // as SmolLM2's file has it: the unknown token is a control token
  EXPECT_EQ(textsOf(*make(data), "a\4b"), (Texts{"a", "b"}));
  data.unknown = addToken(data, "<unk>", TokenKind::unknown);
  EXPECT_EQ(textsOf(*make(data), "a\4b"), (Texts{"a", "<unk>", "b"}));
}

TEST(BytePairs, AMegabyteWithoutABreakIsTokenizedInSeconds) {
  const auto vocabulary = make(smallBytePairs());
  constexpr size_t kMegabyte = 1 << 20;
  for (const char unit : {'a', ' ', '\n', 'h'}) {
    const CpuTimer timer;
    const auto tokens = tokensOf(*vocabulary, std::string(kMegabyte, unit));
    EXPECT_EQ(tokens.size(), unit == 'a' ? kMegabyte / 4 : kMegabyte);
    EXPECT_LT(timer.seconds(), kSecondsPerMegabyte) << "'" << unit << "'";
  }
}

TEST(BytePairs, CancellingIsAnErrorAndNeverAPart) {
  const auto vocabulary = make(smallBytePairs());
  CancelToken cancel;
  const std::string text(1 << 20, 'a');
  EXPECT_EQ(vocabulary->tokenize("hello", SpecialTokens::plain, &cancel).value(),
            tokensOf(*vocabulary, "hello"));
  cancel.cancel();
  const auto stopped = vocabulary->tokenize(text, SpecialTokens::plain, &cancel);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

TEST(BytePairs, CancellingStopsInTheMiddleOfALongWord) {
  const auto vocabulary = make(smallBytePairs());
  const std::string text(32 << 20, 'a');
  CancelToken cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel.cancel();
  });
  const auto stopped = vocabulary->tokenize(text, SpecialTokens::plain, &cancel);
  canceller.join();
  ASSERT_FALSE(stopped) << "the text was meant to be long enough to be interrupted";
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

TEST(BytePairs, ManyThreadsShareAVocabulary) {
  const auto vocabulary = make(smallBytePairs());
  std::mt19937_64 random(5);
  const std::string text = randomText(random, 20000);
  const auto expected = tokensOf(*vocabulary, text);
  std::vector<std::vector<TokenId>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = vocabulary->tokenize(text, SpecialTokens::plain).value(); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace orthros::text::testing
