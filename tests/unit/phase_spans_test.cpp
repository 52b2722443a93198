#include <random>

#include <gtest/gtest.h>

#include "engine/phase/presets.hpp"
#include "engine/phase/spans.hpp"
#include "engine/phase/spans_json.hpp"

namespace orthros::phase {
namespace {

using Spans = std::vector<PhaseSpan>;
constexpr Phase P = Phase::prefill;
constexpr Phase D = Phase::decode;

PhasePlan planWith(uint32_t tail, uint32_t fullMax) {
  PhasePlan plan = *preset("orthros", 2);
  plan.tail = tail;
  plan.fullMax = fullMax;
  return plan;
}

TEST(SegmentSpans, LongSegmentsEndInATail) {
  EXPECT_EQ(segmentSpans(planWith(128, 256), 0, 1000), (Spans{{0, 872, P}, {872, 1000, D}}));
  EXPECT_EQ(segmentSpans(planWith(128, 256), 50, 257), (Spans{{50, 179, P}, {179, 307, D}}));
}

TEST(SegmentSpans, SegmentsUpToFullMaxAreAllDecode) {
  EXPECT_EQ(segmentSpans(planWith(128, 256), 10, 256), (Spans{{10, 266, D}}));
  EXPECT_EQ(segmentSpans(planWith(128, 256), 10, 1), (Spans{{10, 11, D}}));
  EXPECT_EQ(segmentSpans(planWith(1, 0), 10, 1), (Spans{{10, 11, D}}));
}

TEST(SegmentSpans, ATailAsLongAsTheSegmentLeavesNoPrefillRow) {
  EXPECT_EQ(segmentSpans(planWith(300, 0), 0, 300), (Spans{{0, 300, D}}));
  EXPECT_EQ(segmentSpans(planWith(301, 0), 0, 300), (Spans{{0, 300, D}}));
  EXPECT_EQ(segmentSpans(planWith(299, 0), 0, 300), (Spans{{0, 1, P}, {1, 300, D}}));
}

TEST(SegmentSpans, AnEmptySegmentHasNoSpan) {
  EXPECT_TRUE(segmentSpans(planWith(128, 256), 7, 0).empty());
}

TEST(SegmentSpans, TwoTurnsAsInAConversation) {
  PhaseSpans spans;
  const PhasePlan plan = planWith(128, 256);
  spans.appendSegment(plan, 667);
  spans.append({667, 675, D});  // the answer
  spans.appendSegment(plan, 667);
  const Spans expected = {{0, 539, P}, {539, 675, D}, {675, 1214, P}, {1214, 1342, D}};
  EXPECT_EQ(Spans(spans.spans().begin(), spans.spans().end()), expected);
  EXPECT_EQ(spans.rowsOf(P), 539u + 539u);
  EXPECT_EQ(spans.rowsOf(D), 136u + 128u);
}

// The same as PhaseSpans, one phase per row.
std::vector<Phase> rowsOf(const PhaseSpans& spans) {
  std::vector<Phase> rows;
  for (uint32_t row = 0; row < spans.length(); ++row) rows.push_back(spans.phaseOf(row));
  return rows;
}

void expectCanonical(const PhaseSpans& spans) {
  uint32_t end = 0;
  const PhaseSpan* previous = nullptr;
  for (const PhaseSpan& span : spans.spans()) {
    ASSERT_EQ(span.begin, end);
    ASSERT_LT(span.begin, span.end);
    if (previous) {
      ASSERT_NE(previous->phase, span.phase);
    }
    previous = &span;
    end = span.end;
  }
}

PhaseSpans spansFromRows(const std::vector<Phase>& rows) {
  PhaseSpans spans;
  for (uint32_t row = 0; row < rows.size(); ++row) spans.append({row, row + 1, rows[row]});
  return spans;
}

TEST(PhaseSpans, RandomAppendsAndTruncationsAgreeWithOnePhasePerRow) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    PhaseSpans spans;
    std::vector<Phase> rows;
    for (int step = 0; step < 40; ++step) {
      if (random() % 3 == 0) {
        const uint32_t length = random() % (rows.size() + 3);
        spans.truncate(length);
        rows.resize(std::min<size_t>(rows.size(), length));
      } else {
        const uint32_t length = random() % 6;
        const Phase phase = random() % 2 ? P : D;
        spans.append({spans.length(), spans.length() + length, phase});
        rows.insert(rows.end(), length, phase);
      }
      ASSERT_EQ(rowsOf(spans), rows);
      ASSERT_NO_FATAL_FAILURE(expectCanonical(spans));
      ASSERT_EQ(spans, spansFromRows(rows));
      ASSERT_EQ(spans.rowsOf(P) + spans.rowsOf(D), rows.size());
    }
  }
}

TEST(PhaseSpans, CommonPrefixIsTheFirstDifferingRow) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<Phase> first(random() % 12);
    for (Phase& phase : first) phase = random() % 3 ? P : D;
    std::vector<Phase> second = first;
    second.resize(random() % 12, random() % 2 ? P : D);
    if (!second.empty() && random() % 2) second[random() % second.size()] = D;
    const uint32_t limit = random() % 14;
    uint32_t expected = 0;
    while (expected < std::min({first.size(), second.size(), size_t{limit}}) &&
           first[expected] == second[expected]) {
      ++expected;
    }
    const PhaseSpans a = spansFromRows(first);
    const PhaseSpans b = spansFromRows(second);
    ASSERT_EQ(a.commonPrefix(b, limit), expected);
    ASSERT_EQ(b.commonPrefix(a, limit), expected);
  }
}

TEST(PhaseSpans, SliceKeepsThePhasesOfItsRows) {
  PhaseSpans spans;
  spans.append({0, 10, P});
  spans.append({10, 14, D});
  EXPECT_EQ(spans.slice(4, 12), (Spans{{4, 10, P}, {10, 12, D}}));
  EXPECT_EQ(spans.slice(10, 99), (Spans{{10, 14, D}}));
  EXPECT_TRUE(spans.slice(5, 5).empty());
}

TEST(SpansJson, RoundTrip) {
  PhaseSpans spans;
  spans.append({0, 539, P});
  spans.append({539, 667, D});
  EXPECT_EQ(toJson(spans).dump(), R"([[0,539,"P"],[539,667,"D"]])");
  EXPECT_EQ(*spansFromJson(toJson(spans)), spans);
}

TEST(SpansJson, NeighboursOfOnePhaseAreJoined) {
  const auto spans = spansFromJson(nlohmann::json::parse(R"([[0,5,"P"],[5,7,"D"],[7,9,"D"]])"));
  ASSERT_TRUE(spans);
  EXPECT_EQ(spans->spans().size(), 2u);
  EXPECT_EQ(spans->length(), 9u);
}

TEST(SpansJson, ErrorsNameTheEntry) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "spans"},
      {R"([[1,5,"P"]])", "spans[0]"},
      {R"([[0,5,"P"],[6,7,"D"]])", "spans[1]"},
      {R"([[0,5,"P"],[4,7,"D"]])", "spans[1]"},
      {R"([[0,5,"P"],[5,5,"D"]])", "spans[1]"},
      {R"([[0,5,"X"]])", "spans[0]"},
      {R"([[0,-5,"P"]])", "spans[0]"},
      {R"([[0,5]])", "spans[0]"},
      {R"([[0,4294967296,"P"]])", "spans[0]"},
      {R"([7])", "spans[0]"},
  };
  for (const auto& [text, subject] : cases) {
    const auto spans = spansFromJson(nlohmann::json::parse(text));
    ASSERT_FALSE(spans) << text;
    EXPECT_EQ(spans.error().subject, subject) << text;
    EXPECT_EQ(spans.error().code, ErrorCode::malformed);
  }
}

}  // namespace
}  // namespace orthros::phase
