#include <algorithm>

#include <gtest/gtest.h>

#include "engine/session/draft_policy.hpp"
#include "engine/session/prompt_lookup.hpp"
#include "engine/session/random.hpp"

namespace orthros::session {
namespace {

using Tokens = std::vector<text::TokenId>;

Tokens draftOf(const Tokens& text, uint32_t most = 7) {
  return PromptLookup(text).draft(most);
}

TEST(PromptLookup, GoesOnAsTheTextDidBefore) {
  EXPECT_EQ(draftOf({1, 2, 3, 4, 5, 6, 9, 1, 2, 3}, 3), (Tokens{4, 5, 6}));
  EXPECT_EQ(draftOf({7, 2, 3, 4, 5, 6, 9, 1, 2, 3}, 2), (Tokens{4, 5})) << "two equal tokens do";
  EXPECT_EQ(draftOf({1, 2, 3, 4, 5, 6, 9, 8, 7, 3}), Tokens{}) << "one does not";
  EXPECT_EQ(draftOf({1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3}, 1), Tokens{5}) << "the latest place counts";
  EXPECT_EQ(draftOf({1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3}, 1), Tokens{4}) << "three equal tokens before two";
  EXPECT_EQ(draftOf({1, 2, 3, 4, 1, 2, 3}, 0), Tokens{});
}

TEST(PromptLookup, ShortTextsGiveNothing) {
  Tokens text;
  for (text::TokenId token = 0; token < 5; ++token) {
    EXPECT_EQ(draftOf(text), Tokens{});
    text.push_back(token);
  }
}

TEST(PromptLookup, WhatRepeatsGoesOnRepeating) {
  EXPECT_EQ(draftOf({5, 5, 5}, 4), (Tokens{5, 5, 5, 5}));
  EXPECT_EQ(draftOf({1, 2, 3, 1, 2, 3}, 7), (Tokens{1, 2, 3, 1, 2, 3, 1}));
}

// Against a search through the whole text, while it grows piece by piece.
TEST(PromptLookup, AgreesWithASearch) {
  Random random(3);
  Tokens text;
  PromptLookup lookup({});
  int found = 0;
  while (text.size() < 6000) {
    Tokens piece(1 + random.next() % 40);
    for (text::TokenId& token : piece) token = static_cast<text::TokenId>(random.next() % 30);
    text.insert(text.end(), piece.begin(), piece.end());
    lookup.append(piece);
    const auto searched = [&](size_t length) -> std::ptrdiff_t {
      if (text.size() <= length) return -1;
      const auto place = std::find_end(text.begin(), text.end() - 1,
                                       text.end() - static_cast<std::ptrdiff_t>(length), text.end());
      return place == text.end() - 1 ? -1 : place - text.begin() + static_cast<std::ptrdiff_t>(length);
    };
    std::ptrdiff_t place = searched(3);
    if (place < 0) place = searched(2);
    const Tokens draft = lookup.draft(1);
    ASSERT_EQ(draft.empty(), place < 0) << "after " << text.size();
    if (place < 0) continue;
    EXPECT_EQ(draft[0], text[static_cast<size_t>(place)]) << "after " << text.size();
    ++found;
  }
  EXPECT_GT(found, 100);
}

TEST(DraftPolicy, ChecksUntilGeneratingIsFaster) {
  DraftPolicy policy;
  EXPECT_TRUE(policy.accepts());
  EXPECT_FALSE(policy.isFaster()) << "nothing is known";
  policy.checked(1000, 1, 4);
  EXPECT_TRUE(policy.accepts()) << "there is nothing to compare with";
  policy.generated(500, 1);
  policy.checked(1000, 4, 4);
  EXPECT_TRUE(policy.isFaster());
  EXPECT_TRUE(policy.accepts());
}

TEST(DraftPolicy, WaitsTwiceAsLongAfterEachLossAndNotAfterAGain) {
  DraftPolicy policy;
  policy.generated(500, 1);
  const auto waits = [&] {
    int count = 0;
    while (!policy.accepts()) ++count;
    return count;
  };
  for (const int expected : {1, 2, 4, 8, 16, 32, 64, 64}) {
    policy.checked(1000, 1, 4);
    EXPECT_FALSE(policy.isFaster());
    EXPECT_EQ(waits(), expected);
  }
  for (int gain = 0; gain < 8; ++gain) policy.checked(1000, 8, 8);
  EXPECT_TRUE(policy.isFaster());
  EXPECT_EQ(waits(), 0);
}

TEST(DraftPolicy, GuessesMoreOnlyWhereAllWereRight) {
  DraftPolicy policy;
  const uint32_t few = policy.length();
  policy.checked(1000, 2, 4);
  EXPECT_EQ(policy.length(), few);
  policy.checked(1000, 4, 4);
  const uint32_t many = policy.length();
  EXPECT_GT(many, few);
  policy.checked(1000, 8, 8);
  EXPECT_EQ(policy.length(), many);
  policy.checked(1000, 7, 8);
  EXPECT_EQ(policy.length(), few);
}

}  // namespace
}  // namespace orthros::session
