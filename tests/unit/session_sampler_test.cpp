#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/session/sampler.hpp"

namespace orthros::session {
namespace {

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

std::vector<Candidate> draw(const Sampling& sampling, const std::vector<float>& logits,
                            const std::vector<uint32_t>& recent = {}) {
  auto candidates = distribution(sampling, logits, recent);
  EXPECT_TRUE(candidates) << candidates.error().message();
  return candidates.value_or(std::vector<Candidate>{});
}

double probabilityOf(const std::vector<Candidate>& candidates, uint32_t token) {
  for (const Candidate& candidate : candidates) {
    if (candidate.token == token) return candidate.probability;
  }
  return 0.0;
}

std::vector<float> logitsOf(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowestIdAmongEquals) {
  const auto candidates = draw({}, {1.f, 5.f, 3.f, 5.f});
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].token, 1u);
  EXPECT_EQ(candidates[0].probability, 1.0);
}

TEST(Sampler, NumbersThatAreNoneAreNeverDrawn) {
  EXPECT_EQ(draw({}, {notANumber, 2.f, std::numeric_limits<float>::infinity()})[0].token, 1u);
  const auto candidates = draw({.temperature = 1.f}, {notANumber, 2.f, 2.f});
  EXPECT_EQ(probabilityOf(candidates, 0), 0.0);
  EXPECT_NEAR(probabilityOf(candidates, 1), 0.5, 1e-6);
  const std::vector<float> none(3, notANumber);
  EXPECT_FALSE(distribution({}, none, {}));
}

TEST(Sampler, TemperatureOneIsTheSoftmax) {
  const std::vector<double> expected{0.1, 0.2, 0.3, 0.4};
  const auto candidates = draw({.temperature = 1.f}, logitsOf(expected));
  for (uint32_t token = 0; token < 4; ++token)
    EXPECT_NEAR(probabilityOf(candidates, token), expected[token], 1e-6);
}

TEST(Sampler, TemperatureSharpensAndFlattens) {
  // At temperature 0.5 probabilities are squared and normalised: 0.2^2 : 0.8^2 = 1 : 16.
  EXPECT_NEAR(probabilityOf(draw({.temperature = 0.5f}, logitsOf({0.2, 0.8})), 0), 1.0 / 17.0, 1e-6);
  EXPECT_NEAR(probabilityOf(draw({.temperature = 1000.f}, logitsOf({0.2, 0.8})), 0), 0.5, 1e-3);
}

TEST(Sampler, TopKKeepsTheKLargest) {
  const auto candidates = draw({.temperature = 1.f, .topK = 2}, logitsOf({0.1, 0.4, 0.2, 0.3}));
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_NEAR(probabilityOf(candidates, 1), 4.0 / 7.0, 1e-6);
  EXPECT_NEAR(probabilityOf(candidates, 3), 3.0 / 7.0, 1e-6);
}

TEST(Sampler, TopPKeepsTheSmallestSetThatReachesTheMass) {
  const auto logits = logitsOf({0.1, 0.5, 0.15, 0.25});
  EXPECT_EQ(draw({.temperature = 1.f, .topP = 0.45f}, logits).size(), 1u);
  const auto candidates = draw({.temperature = 1.f, .topP = 0.7f}, logits);
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_NEAR(probabilityOf(candidates, 1), 2.0 / 3.0, 1e-6);
  EXPECT_NEAR(probabilityOf(candidates, 3), 1.0 / 3.0, 1e-6);
  EXPECT_EQ(draw({.temperature = 1.f, .topP = 1e-6f}, logits).size(), 1u);
}

TEST(Sampler, TopPLooksAtTheDistributionBeforeTemperature) {
  const auto logits = logitsOf({0.1, 0.5, 0.15, 0.25});
  EXPECT_EQ(draw({.temperature = 100.f, .topP = 0.7f}, logits).size(), 2u);
}

TEST(Sampler, MinPDropsWhatIsFarBelowTheBest) {
  const auto candidates = draw({.temperature = 1.f, .minP = 0.4f}, logitsOf({0.1, 0.5, 0.15, 0.25}));
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_GT(probabilityOf(candidates, 1), 0.0);
  EXPECT_GT(probabilityOf(candidates, 3), 0.0);
}

TEST(Sampler, RepetitionPenaltyLowersBothSigns) {
  const Sampling sampling{.repetitionPenalty = 2.f};
  EXPECT_EQ(draw(sampling, {4.f, 3.f})[0].token, 0u);
  EXPECT_EQ(draw(sampling, {4.f, 3.f}, {0})[0].token, 1u);  // 4 / 2 < 3
  EXPECT_EQ(draw(sampling, {4.f, 3.f}, {0, 0, 1})[0].token,
            0u);                                               // 2 against 1.5: once each, however often seen
  EXPECT_EQ(draw(sampling, {-1.f, -1.5f}, {0})[0].token, 1u);  // -1 * 2 < -1.5
  EXPECT_EQ(draw(sampling, {4.f, 3.f}, {7})[0].token, 0u);     // outside the vocabulary
}

TEST(Sampler, TheWindowForgetsOldTokens) {
  auto sampler = Sampler::create({.repetitionPenalty = 2.f, .repetitionWindow = 2});
  ASSERT_TRUE(sampler);
  const std::vector<float> logits{4.f, 3.f, 0.f};
  sampler->accept(0);
  EXPECT_EQ(sampler->sample(logits).value(), 1u);
  sampler->accept(2);
  EXPECT_EQ(sampler->sample(logits).value(), 1u);
  sampler->accept(2);
  EXPECT_EQ(sampler->sample(logits).value(), 0u);
}

TEST(Sampler, DrawsFollowTheProbabilities) {
  auto sampler = Sampler::create({.temperature = 1.f, .seed = 11});
  const std::vector<double> expected{0.1, 0.2, 0.3, 0.4};
  const auto logits = logitsOf(expected);
  std::vector<int> counts(4);
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) ++counts[sampler->sample(logits).value()];
  for (size_t token = 0; token < 4; ++token) {
    // Four standard deviations of a binomial.
    const double deviation = 4.0 * std::sqrt(draws * expected[token] * (1.0 - expected[token]));
    EXPECT_NEAR(counts[token], draws * expected[token], deviation);
  }
}

TEST(Sampler, TheSeedDecidesTheSequence) {
  std::vector<float> logits(100);
  std::iota(logits.begin(), logits.end(), 0.f);
  for (float& logit : logits) logit *= 0.01f;
  const auto sequence = [&](uint64_t seed) {
    auto sampler = Sampler::create({.temperature = 1.f, .seed = seed});
    std::vector<uint32_t> tokens;
    for (int i = 0; i < 20; ++i) tokens.push_back(sampler->sample(logits).value());
    return tokens;
  };
  EXPECT_EQ(sequence(1), sequence(1));
  EXPECT_NE(sequence(1), sequence(2));
}

// The same numbers on every platform: the generator's published reference for this seeding.
TEST(Random, FirstNumbersOfSeedZero) {
  Random random(0);
  EXPECT_EQ(random.next(), 0x99ec5f36cb75f2b4u);
  EXPECT_EQ(random.next(), 0xbf6e1f784956452au);
  EXPECT_EQ(random.next(), 0x1a5f849d4933e6e0u);
  const double uniform = random.uniform();
  EXPECT_GE(uniform, 0.0);
  EXPECT_LT(uniform, 1.0);
}

TEST(Sampler, WrongSettingsAreNamed) {
  const auto subjectOf = [](const Sampling& sampling) {
    const Status status = validate(sampling);
    return status ? std::string() : status.error().subject;
  };
  EXPECT_EQ(subjectOf({}), "");
  EXPECT_EQ(subjectOf({.temperature = -0.1f}), "temperature");
  EXPECT_EQ(subjectOf({.temperature = notANumber}), "temperature");
  EXPECT_EQ(subjectOf({.topP = 0.f}), "top-p");
  EXPECT_EQ(subjectOf({.topP = 1.01f}), "top-p");
  EXPECT_EQ(subjectOf({.minP = 1.f}), "min-p");
  EXPECT_EQ(subjectOf({.repetitionPenalty = 0.f}), "repetition penalty");
  EXPECT_FALSE(Sampler::create({.topP = -1.f}));
}

}  // namespace
}  // namespace orthros::session
