#include <gtest/gtest.h>

#include "engine/session/random.hpp"
#include "engine/session/stop_sequences.hpp"

namespace orthros::session {
namespace {

std::string feed(StopSequences& stops, std::string_view text, size_t pieceBytes) {
  std::string shown;
  for (size_t at = 0; at < text.size(); at += pieceBytes) shown += stops.push(text.substr(at, pieceBytes));
  return shown + (stops.stopped() ? std::string() : stops.flush());
}

TEST(StopSequences, WithoutAnyEverythingPasses) {
  StopSequences stops({""});
  EXPECT_EQ(stops.push("abc"), "abc");
  EXPECT_FALSE(stops.stopped());
}

TEST(StopSequences, HoldsBackABeginningUntilItIsDecided) {
  StopSequences stops({"END"});
  EXPECT_EQ(stops.push("the E"), "the ");
  EXPECT_EQ(stops.push("N"), "");
  EXPECT_EQ(stops.push("O"), "ENO");
  EXPECT_EQ(stops.push("EN"), "");
  EXPECT_EQ(stops.flush(), "EN");
  EXPECT_FALSE(stops.stopped());
}

TEST(StopSequences, EndsBeforeTheEarliestStop) {
  StopSequences stops({"world", "o w"});
  EXPECT_EQ(stops.push("hello world, hello"), "hell");
  EXPECT_TRUE(stops.stopped());
  EXPECT_EQ(stops.push("more"), "");
  EXPECT_EQ(stops.flush(), "");
}

TEST(StopSequences, OverlappingBeginnings) {
  StopSequences stops({"aab"});
  EXPECT_EQ(stops.push("aa"), "");
  EXPECT_EQ(stops.push("a"), "a");  // "aa" may still become "aab"
  EXPECT_EQ(stops.push("b!"), "");
  EXPECT_TRUE(stops.stopped());
}

// However the text is cut into pieces, what is shown is the text up to the earliest stop that completes
// first.
TEST(StopSequences, CutsDoNotMatter) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text, stop;
    for (int i = 0; i < 24; ++i) text += static_cast<char>('a' + random.next() % 2);
    for (uint64_t i = 0, length = 1 + random.next() % 4; i < length; ++i)
      stop += static_cast<char>('a' + random.next() % 2);
    const std::string expected = text.substr(0, text.find(stop));
    for (const size_t piece : {1, 2, 3, 7, 24}) {
      StopSequences stops({stop});
      ASSERT_EQ(feed(stops, text, piece), expected) << text << " stop " << stop << " in pieces of " << piece;
      ASSERT_EQ(stops.stopped(), text.find(stop) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace orthros::session
