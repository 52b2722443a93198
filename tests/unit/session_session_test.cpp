#include "engine/session/session.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "engine/phase/presets.hpp"
#include "tests/unit/session_fakes.hpp"

namespace orthros::session {
namespace {

using fakes::bytesOf;
using fakes::FakeRunner;

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(vocabulary_);
    auto plan = phase::preset("orthros", 2, {.window = 16, .sinks = 2, .tail = 10, .fullMax = 12});
    ASSERT_TRUE(plan);
    plan_ = *plan;
  }

  std::unique_ptr<Session> newSession() {
    return std::make_unique<Session>(std::make_unique<FakeRunner>(script_), vocabulary_, plan_, RunRecord{});
  }
  Layout layoutOf(const std::string& text) {
    const Segment segments[] = {{bytesOf(text), false}};
    return layOut(plan_, segments);
  }
  Answer answerOf(Session& session, const Layout& prompt, uint32_t maxTokens = 12) {
    auto answer = session.answer(prompt, {.maxTokens = maxTokens}, {}, {});
    EXPECT_TRUE(answer) << answer.error().message();
    return answer.value_or(Answer{});
  }

  std::shared_ptr<const text::Vocabulary> vocabulary_ = fakes::byteVocabulary();
  std::shared_ptr<FakeRunner::Script> script_ = std::make_shared<FakeRunner::Script>();
  phase::PhasePlan plan_;
  const std::string document_ = std::string(150, 'd').append(" and a question?");
};

TEST_F(SessionTest, TheBatchSizeDoesNotChangeTheAnswer) {
  script_->maxRows = 1000;
  const Answer whole = answerOf(*newSession(), layoutOf(document_));
  EXPECT_EQ(whole.tokens.size(), 12u);
  for (const uint32_t rows : {1u, 7u, 64u}) {
    script_->maxRows = rows;
    EXPECT_EQ(answerOf(*newSession(), layoutOf(document_)).tokens, whole.tokens) << rows;
  }
}

TEST_F(SessionTest, TheRecordCountsRowsByPhase) {
  const Answer answer = answerOf(*newSession(), layoutOf(document_));
  const RunRecord& record = answer.record;
  EXPECT_EQ(record.lengths.prompt, 166u);
  EXPECT_EQ(record.lengths.reused, 0u);
  EXPECT_EQ(record.lengths.generated, 12u);
  EXPECT_EQ(record.lengths.context, 4096u);
  EXPECT_EQ(record.prefill.rows, 156u);
  EXPECT_EQ(record.tail.rows, 10u);
  EXPECT_EQ(record.decode.rows, 11u) << "the last token needs no row";
  EXPECT_EQ(record.batches.size(), 3u + 1u + 11u);
  EXPECT_EQ(record.measured.dispatches, 15u * 7u);
  EXPECT_EQ(record.finish, "length");
  EXPECT_EQ(record.answer, vocabulary_->detokenize(answer.tokens));
  EXPECT_GT(record.ns.firstToken, 0u);
  EXPECT_LE(record.ns.firstToken, record.ns.total);
  EXPECT_EQ(record.bytes.kv, (166u + 11u) * 16u);
}

TEST_F(SessionTest, LogitsAreOnlyAskedForTheLastRow) {
  answerOf(*newSession(), layoutOf(document_), 1);
  ASSERT_EQ(script_->batches.size(), 4u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(script_->batches[i].wanted, 0u);
  EXPECT_EQ(script_->batches[3].wanted, 1u);
}

TEST_F(SessionTest, TheSamePromptAgainReadsOneRowAndAnswersTheSame) {
  const auto session = newSession();
  const Answer first = answerOf(*session, layoutOf(document_));
  const Answer second = answerOf(*session, layoutOf(document_));
  EXPECT_EQ(second.tokens, first.tokens);
  EXPECT_EQ(second.record.lengths.reused, 165u);
  EXPECT_EQ(second.record.prefill.rows, 0u);
  EXPECT_EQ(second.record.tail.rows, 1u);
}

TEST_F(SessionTest, ASecondTurnReadsOnlyWhatIsNew) {
  const auto session = newSession();
  const Answer first = answerOf(*session, layoutOf(document_));
  const std::vector<Segment> segments{
      {bytesOf(document_), false}, {first.tokens, true}, {bytesOf(" and then?"), false}};
  const Layout prompt = layOut(plan_, segments);
  const Answer second = answerOf(*session, prompt);
  EXPECT_EQ(second.record.lengths.reused, 166u + 11u);
  EXPECT_EQ(second.record.prefill.rows + second.record.tail.rows, 1u + 10u);
  EXPECT_EQ(answerOf(*newSession(), prompt).tokens, second.tokens) << "as if read from the beginning";
}

TEST_F(SessionTest, RowsWhosePhaseChangedAreReadAgain) {
  const auto session = newSession();
  answerOf(*session, layoutOf(document_));
  const Layout longer = layoutOf(document_ + " One more sentence.");
  const Answer answer = answerOf(*session, longer);
  EXPECT_EQ(answer.record.lengths.reused, 156u) << "the old tail was D, now P";
  EXPECT_EQ(answerOf(*newSession(), longer).tokens, answer.tokens);
}

// Random conversations on one session, each compared with a session that has seen nothing else.
TEST_F(SessionTest, ReuseNeverChangesAnAnswer) {
  Random random(3);
  const auto session = newSession();
  for (int round = 0; round < 60; ++round) {
    std::vector<Segment> segments;
    for (uint64_t i = 0, count = 1 + random.next() % 4; i < count; ++i) {
      segments.push_back(
          {bytesOf(std::string(1 + random.next() % 40, "xy"[random.next() % 2])), random.next() % 3 == 0});
    }
    const Layout prompt = layOut(plan_, segments);
    if (random.next() % 4 == 0) session->truncate(static_cast<uint32_t>(random.next() % 50));
    ASSERT_EQ(answerOf(*session, prompt, 4).tokens, answerOf(*newSession(), prompt, 4).tokens) << round;
  }
}

TEST_F(SessionTest, ABranchGoesOnAlone) {
  const auto session = newSession();
  answerOf(*session, layoutOf(document_));
  auto branch = session->branch();
  ASSERT_TRUE(branch);
  const Answer other = answerOf(**branch, layoutOf(document_ + " Differently."));
  const Answer again = answerOf(*session, layoutOf(document_));
  EXPECT_EQ(again.record.lengths.reused, 165u);
  EXPECT_EQ(other.record.lengths.reused, 156u);
  EXPECT_EQ(other.tokens, answerOf(*newSession(), layoutOf(document_ + " Differently.")).tokens);
}

TEST_F(SessionTest, TooLongIsAnErrorBeforeAnyWork) {
  script_->capacity = 100;
  const auto session = newSession();
  const auto answer = session->answer(layoutOf(document_), {}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::tooLong);
  EXPECT_NE(answer.error().message().find("166"), std::string::npos);
  EXPECT_NE(answer.error().message().find("100"), std::string::npos);
  EXPECT_TRUE(script_->batches.empty());
}

TEST_F(SessionTest, AFullContextEndsTheAnswerAndSaysSo) {
  script_->capacity = 170;
  const Answer answer = answerOf(*newSession(), layoutOf(document_), 50);
  EXPECT_EQ(answer.tokens.size(), 5u) << "four rows are left, and the last token needs none";
  EXPECT_EQ(answer.record.finish, "context");
}

TEST_F(SessionTest, WrongPromptsAreErrors) {
  EXPECT_EQ(newSession()->answer({}, {}, {}, {}).error().code, ErrorCode::invalidArgument);
  Layout foreign = layoutOf("abc");
  foreign.tokens[1] = fakes::vocabularySize;
  EXPECT_EQ(newSession()->answer(foreign, {}, {}, {}).error().code, ErrorCode::invalidArgument);
  Layout uneven = layoutOf("abc");
  uneven.tokens.pop_back();
  EXPECT_EQ(newSession()->answer(uneven, {}, {}, {}).error().code, ErrorCode::invalidArgument);
  EXPECT_EQ(newSession()->answer(layoutOf("abc"), {.sampling = {.topP = 2.f}}, {}, {}).error().subject,
            "top-p");
  EXPECT_TRUE(script_->batches.empty());
}

TEST_F(SessionTest, StopsAtTheEndToken) {
  script_->forcedFrom = 166;
  script_->forced = {'h', 'i', fakes::endToken, 'x'};
  const Answer answer = answerOf(*newSession(), layoutOf(document_));
  EXPECT_EQ(answer.record.answer, "hi");
  EXPECT_EQ(answer.record.finish, "end");
  EXPECT_EQ(answer.tokens, bytesOf("hi"));
  const auto on = newSession()->answer(layoutOf(document_), {.maxTokens = 4, .stopAtEnd = false}, {}, {});
  ASSERT_TRUE(on);
  EXPECT_EQ(on->tokens.size(), 4u);
}

TEST_F(SessionTest, StopsAtAStringWithoutShowingItsBeginning) {
  script_->forcedFrom = 166;
  script_->forced = bytesOf("one STOP two");
  std::string shown;
  const auto answer = newSession()->answer(layoutOf(document_), {.maxTokens = 50, .stops = {"STOP"}},
                                           {.text = [&](const std::string& piece) { shown += piece; }}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown, "one ");
  EXPECT_EQ(answer->record.answer, "one ");
  EXPECT_EQ(answer->record.finish, "stop");
}

TEST_F(SessionTest, TextComesInWholeCharacters) {
  script_->forcedFrom = 166;
  script_->forced = bytesOf("aé–x");
  std::vector<std::string> pieces;
  newSession()->answer(layoutOf(document_), {.maxTokens = 7},
                       {.text = [&](const std::string& piece) { pieces.push_back(piece); }}, {});
  EXPECT_EQ(pieces, (std::vector<std::string>{"a", "é", "–", "x"}));
}

TEST_F(SessionTest, ProgressIsToldPerPhaseAndEndsAtTheTotal) {
  std::vector<Progress> told;
  newSession()->answer(layoutOf(document_), {.maxTokens = 1},
                       {.progress = [&](const Progress& p) { told.push_back(p); }}, {});
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(std::string(told.front().stage), "prefill");
  EXPECT_EQ(told.front().done, 0u);
  EXPECT_EQ(told.front().total, 156u);
  EXPECT_EQ(std::string(told.back().stage), "tail");
  EXPECT_EQ(told.back().done, 10u);
  EXPECT_EQ(told.back().total, 10u);
  for (size_t i = 1; i < told.size(); ++i) {
    EXPECT_TRUE(told[i].stage != told[i - 1].stage || told[i].done >= told[i - 1].done);
  }
}

TEST_F(SessionTest, CancelKeepsTheRowsThatAreDone) {
  CancelToken cancel;
  script_->beforeBatch = [&](const FakeRunner::Batch& batch) -> Status {
    if (batch.begin < 64) return {};
    cancel.cancel();
    return fail(ErrorCode::cancelled, "prefill", "was cancelled");
  };
  const auto session = newSession();
  const auto cancelled = session->answer(layoutOf(document_), {}, {}, cancel);
  ASSERT_TRUE(cancelled) << cancelled.error().message();
  EXPECT_EQ(cancelled->record.finish, "cancelled");
  EXPECT_TRUE(cancelled->tokens.empty());
  EXPECT_EQ(cancelled->record.prefill.rows, 64u);
  EXPECT_EQ(session->cached().rows(), 64u);
  script_->beforeBatch = {};
  const Answer resumed = answerOf(*session, layoutOf(document_));
  EXPECT_EQ(resumed.record.lengths.reused, 64u);
  EXPECT_EQ(resumed.tokens, answerOf(*newSession(), layoutOf(document_)).tokens);
}

TEST_F(SessionTest, CancelBetweenTwoBatchesLeavesNoneRunning) {
  CancelToken cancel;
  bool ranOn = false;
  const auto told = [&](const Progress& progress) {
    if (progress.done == 0 || cancel.cancelled()) return;
    ranOn = script_->running;
    cancel.cancel();
  };
  const auto session = newSession();
  const auto answer = session->answer(layoutOf(document_), {}, {.progress = told}, cancel);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->record.finish, "cancelled");
  EXPECT_TRUE(ranOn) << "nothing ran when it was cancelled";
  EXPECT_FALSE(script_->running);
}

TEST_F(SessionTest, CancelDuringTheAnswerKeepsItsText) {
  CancelToken cancel;
  int pieces = 0;
  const auto answer = newSession()->answer(layoutOf(document_), {.maxTokens = 100},
                                           {.text =
                                                [&](const std::string&) {
                                                  if (++pieces == 5) cancel.cancel();
                                                }},
                                           cancel);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->record.finish, "cancelled");
  EXPECT_EQ(answer->tokens.size(), 5u);
  EXPECT_EQ(answer->record.answer.size(), 5u);
}

TEST_F(SessionTest, AFailureLeavesASessionThatGoesOn) {
  script_->beforeBatch = [](const FakeRunner::Batch& batch) -> Status {
    if (batch.begin >= 128) return fail(ErrorCode::outOfMemory, "kv page", "could not be allocated");
    return {};
  };
  const auto session = newSession();
  const auto failed = session->answer(layoutOf(document_), {}, {}, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::outOfMemory);
  script_->beforeBatch = {};
  EXPECT_EQ(answerOf(*session, layoutOf(document_)).tokens,
            answerOf(*newSession(), layoutOf(document_)).tokens);
}

TEST_F(SessionTest, ReadHandsOutTheWantedRowsInOrder) {
  const auto session = newSession();
  const Layout prompt = layoutOf(document_);
  for (const uint32_t firstWanted : {0u, 100u, 165u}) {
    std::vector<uint32_t> rows;
    const Status status = session->read(prompt, firstWanted,
                                        [&](uint32_t firstRow, std::span<const float> logits) -> Status {
                                          for (uint32_t i = 0; i < logits.size() / fakes::vocabularySize; ++i)
                                            rows.push_back(firstRow + i);
                                          return {};
                                        },
                                        {}, {});
    ASSERT_TRUE(status) << status.error().message();
    std::vector<uint32_t> expected(166 - firstWanted);
    std::iota(expected.begin(), expected.end(), firstWanted);
    EXPECT_EQ(rows, expected);
  }
}

// Answers that quote their document, more or less, against the same answers without guessing.
TEST_F(SessionTest, GuessedTokensChangeNothingButTheBatches) {
  Random random(5);
  uint64_t drafted = 0, accepted = 0, discarded = 0;
  for (int round = 0; round < 60; ++round) {
    std::string document;
    while (document.size() < 120) document += static_cast<char>('a' + random.next() % 6);
    const Layout prompt = layoutOf(document + "?");
    std::string quote = document.substr(random.next() % 60, 50);
    for (uint64_t errors = random.next() % 4; errors > 0; --errors) quote[random.next() % quote.size()] = 'z';
    script_->forced = bytesOf(quote);
    script_->forcedFrom = prompt.rows();
    script_->capacity = prompt.rows() + (round % 3 == 0 ? 20 : 400);
    GenerateOptions options{.maxTokens = 10 + static_cast<uint32_t>(random.next() % 60)};
    if (round % 4 == 1) options.stops = {quote.substr(random.next() % 40, 4)};
    std::unique_ptr<Session> sessions[] = {newSession(), newSession()};
    Answer answers[2];
    for (const bool lookup : {false, true}) {
      options.sampling.promptLookup = lookup;
      auto answer = sessions[lookup]->answer(prompt, options, {}, {});
      ASSERT_TRUE(answer) << answer.error().message();
      answers[lookup] = *answer;
      const Session& session = *sessions[lookup];
      EXPECT_EQ(sessions[lookup]->runner().length(), session.cached().rows());
    }
    EXPECT_EQ(answers[1].tokens, answers[0].tokens);
    EXPECT_EQ(answers[1].record.answer, answers[0].record.answer);
    EXPECT_EQ(answers[1].record.finish, answers[0].record.finish);
    EXPECT_EQ(sessions[1]->cached().tokens, sessions[0]->cached().tokens);
    EXPECT_EQ(answers[0].record.lengths.drafted, 0u);

    const RunRecord& record = answers[1].record;
    EXPECT_EQ(record.decode.rows, answers[0].record.decode.rows);
    uint64_t rows = 0;
    for (const BatchEvent& batch : record.batches) rows += batch.phase == RunPhase::decode ? batch.rows : 0;
    EXPECT_EQ(record.decode.rows + record.decode.discarded, rows);
    drafted += record.lengths.drafted;
    accepted += record.lengths.accepted;
    discarded += record.decode.discarded;
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(drafted, accepted);
  EXPECT_GE(discarded, drafted - accepted);
}

TEST_F(SessionTest, AnErrorWhileGuessesAreCheckedLosesNoRow) {
  const Layout prompt = layoutOf(std::string(60, 'a').append(1, '?'));
  script_->forced = bytesOf(std::string(60, 'a'));
  script_->forcedFrom = prompt.rows();
  script_->beforeBatch = [&](const FakeRunner::Batch& batch) -> Status {
    if (batch.begin > prompt.rows() + 20 && batch.rows > 1)
      return fail(ErrorCode::deviceLost, "gpu", "is lost");
    return {};
  };
  const auto session = newSession();
  const auto answer = session->answer(prompt, {.maxTokens = 60}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::deviceLost);
  EXPECT_GT(session->cached().rows(), prompt.rows() + 10);
  EXPECT_EQ(session->runner().length(), session->cached().rows());
}

TEST_F(SessionTest, PredictionsSeeTheWholeRun) {
  Session session(std::make_unique<FakeRunner>(script_), vocabulary_, plan_, RunRecord{},
                  [](const phase::PhaseSpans& spans, RunRecord& record) {
                    record.predicted.attentionPairs = spans.length();
                    record.predicted.dispatches = record.batches.size() * 7;
                  });
  const Answer answer = answerOf(session, layoutOf(document_));
  EXPECT_EQ(answer.record.predicted.attentionPairs, 177u);
  EXPECT_EQ(answer.record.predicted.dispatches, answer.record.measured.dispatches);
}

}  // namespace
}  // namespace orthros::session
