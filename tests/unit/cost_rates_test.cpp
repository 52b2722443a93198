#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/cost/rates.hpp"

namespace orthros::cost {
namespace {

const DeviceRates truth{.matmulFlops = 93e9, .attentionFlops = 72e9, .copyBytes = 17e9, .dispatchNs = 30'000};

LimitedWork workOf(std::mt19937& random, Limit limit) {
  const uint64_t amount = 1'000'000 + random() % 200'000'000;
  return {limit, 1 + random() % 8, limit == Limit::memory ? 7 : amount, limit == Limit::memory ? amount : 7};
}

std::vector<RateSample> samplesOf(const DeviceRates& rates, const std::vector<Limit>& limits, double noise) {
  std::mt19937 random(5);
  std::vector<RateSample> samples;
  for (int i = 0; i < 60; ++i) {
    for (const Limit limit : limits) {
      const LimitedWork work = workOf(random, limit);
      const double factor = 1.0 + noise * (static_cast<double>(random() % 2001) / 1000.0 - 1.0);
      samples.push_back({work, *predictNs(work, rates) * factor});
    }
  }
  return samples;
}

TEST(Rates, ExactSamplesGiveTheirRates) {
  const DeviceRates rates = fitRates(samplesOf(truth, {Limit::matmul, Limit::attention, Limit::memory}, 0.0));
  EXPECT_NEAR(rates.matmulFlops / truth.matmulFlops, 1.0, 1e-3);
  EXPECT_NEAR(rates.attentionFlops / truth.attentionFlops, 1.0, 1e-3);
  EXPECT_NEAR(rates.copyBytes / truth.copyBytes, 1.0, 1e-3);
  EXPECT_NEAR(rates.dispatchNs / truth.dispatchNs, 1.0, 1e-2);
}

TEST(Rates, NoisySamplesPredictWithinTheNoise) {
  const DeviceRates rates = fitRates(samplesOf(truth, {Limit::matmul, Limit::attention, Limit::memory}, 0.2));
  std::mt19937 random(9);
  for (const Limit limit : {Limit::matmul, Limit::attention, Limit::memory}) {
    const LimitedWork work = workOf(random, limit);
    EXPECT_NEAR(*predictNs(work, rates) / *predictNs(work, truth), 1.0, 0.1);
  }
}

TEST(Rates, KindsWithoutSamplesStayUnknown) {
  const DeviceRates rates = fitRates(samplesOf(truth, {Limit::matmul}, 0.0));
  EXPECT_NEAR(rates.matmulFlops / truth.matmulFlops, 1.0, 1e-3);
  EXPECT_EQ(rates.attentionFlops, 0.0);
  EXPECT_EQ(rates.copyBytes, 0.0);
  EXPECT_FALSE(predictNs({Limit::attention, 1, 100, 0}, rates));
  EXPECT_TRUE(predictNs({Limit::matmul, 1, 100, 0}, rates));
}

TEST(Rates, WorkThatVanishesBesideItsDispatchesIsKnownToo) {
  // Attention so small that all samples are explained by their dispatches, one of them slower than the rest.
  std::vector<RateSample> samples = samplesOf(truth, {Limit::matmul, Limit::memory}, 0.0);
  for (const double ns : {30'000.0, 29'000.0}) samples.push_back({{Limit::attention, 1, 5'000, 0}, ns});
  const DeviceRates rates = fitRates(samples);
  EXPECT_GT(rates.attentionFlops, 0.0);
  EXPECT_TRUE(predictNs({Limit::attention, 1, 5'000, 0}, rates));
}

TEST(Rates, OneSampleIsEnoughToPredictItself) {
  const RateSample sample{{Limit::attention, 30, 5'000'000'000, 0}, 80e6};
  const DeviceRates rates = fitRates({&sample, 1});
  EXPECT_NEAR(*predictNs(sample.work, rates), sample.ns, 1e-3 * sample.ns);
}

TEST(Rates, NothingIsEverNegative) {
  // More work in less time: no positive cost per dispatch and per FLOP fits both.
  const RateSample samples[] = {{{Limit::matmul, 1, 1000, 0}, 5000}, {{Limit::matmul, 9, 9000, 0}, 1000}};
  const DeviceRates rates = fitRates(samples);
  EXPECT_GE(rates.dispatchNs, 0.0);
  EXPECT_GE(rates.matmulFlops, 0.0);
}

TEST(Rates, SamplesWithoutTimeOrAtAllTeachNothing) {
  EXPECT_EQ(fitRates({}), DeviceRates{});
  const RateSample idle{{Limit::matmul, 1, 1000, 0}, 0.0};
  EXPECT_EQ(fitRates({&idle, 1}), DeviceRates{});
}

TEST(Rates, JsonRoundTrip) {
  EXPECT_EQ(*ratesFromJson(toJson(truth)), truth);
  EXPECT_EQ(*ratesFromJson(nlohmann::json::object()), DeviceRates{});
  EXPECT_EQ(ratesFromJson({{"copyBytes", -1}}).error().subject, "copyBytes");
  EXPECT_EQ(ratesFromJson({{"dispatchNs", "fast"}}).error().subject, "dispatchNs");
  EXPECT_EQ(ratesFromJson(7).error().subject, "rates");
}

}  // namespace
}  // namespace orthros::cost
