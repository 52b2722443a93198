#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "engine/reference/operations.hpp"

namespace orthros::reference {
namespace {

using Values = std::vector<double>;

Values randomValues(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> distribution;
  Values values(count);
  for (double& value : values) value = distribution(random);
  return values;
}

void expectNear(const Values& actual, const Values& expected, double tolerance = 1e-12) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
}

TEST(Operations, RmsNormByHand) {
  const float weight[] = {1.f, 2.f};
  // mean of squares 12.5 and 0.5
  expectNear(rmsNorm(Values{3, 4, 1, 0}, weight, 0.0),
             {3 / std::sqrt(12.5), 8 / std::sqrt(12.5), 1 / std::sqrt(0.5), 0});
  expectNear(rmsNorm(Values{0, 0}, weight, 1e-5), {0, 0});
  expectNear(rmsNorm(Values{1, 1}, weight, 3.0), {0.5, 1.0});
}

TEST(Operations, MatmulByHand) {
  const float weights[] = {1, 2, 3, 4, 5, 6};  // two outputs of three inputs
  expectNear(matmul(Values{1, 0, 0, 1, 1, 1}, weights, 3), {1, 4, 6, 15});
}

TEST(Operations, MatmulOfRaggedSizesEqualsTheTripleLoop) {
  for (const auto& [rows, inputs, outputs] :
       {std::array<size_t, 3>{1, 1, 1}, {3, 7, 65}, {5, 33, 130}, {40, 129, 257}}) {
    const Values x = randomValues(rows * inputs, 1);
    const Values exact = randomValues(outputs * inputs, 2);
    const std::vector<float> weights(exact.begin(), exact.end());
    Values expected(rows * outputs, 0.0);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t o = 0; o < outputs; ++o) {
        for (size_t i = 0; i < inputs; ++i)
          expected[r * outputs + o] += x[r * inputs + i] * weights[o * inputs + i];
      }
    }
    expectNear(matmul(x, weights, inputs), expected, 1e-11);
  }
}

TEST(Operations, ARowsProductDoesNotDependOnTheOtherRows) {
  const Values x = randomValues(9 * 100, 3);
  const Values exact = randomValues(2000 * 100, 4);
  const std::vector<float> weights(exact.begin(), exact.end());
  const Values all = matmul(x, weights, 100);
  const Values last = matmul(std::span(x).last(100), weights, 100);
  EXPECT_EQ(last, Values(all.end() - 2000, all.end()));
}

model::RopeSpec ropeSpec(model::RopeLayout layout, uint32_t dimensions) {
  model::RopeSpec spec;
  spec.layout = layout;
  spec.dimensions = dimensions;
  spec.base = 100.f;
  return spec;
}

TEST(Operations, RopeRotatesInterleavedPairs) {
  Values x = {1, 0, 0, 2};
  const uint32_t positions[] = {3};
  rope(x, 1, 4, positions, ropeSpec(model::RopeLayout::interleaved, 4));
  // frequencies 1 and 100^(-1/2) = 0.1
  expectNear(x, {std::cos(3), std::sin(3), -2 * std::sin(0.3), 2 * std::cos(0.3)});
}

TEST(Operations, RopeRotatesHalves) {
  Values x = {1, 0, 0, 2};
  const uint32_t positions[] = {3};
  rope(x, 1, 4, positions, ropeSpec(model::RopeLayout::halves, 4));
  expectNear(x, {std::cos(3), -2 * std::sin(0.3), std::sin(3), 2 * std::cos(0.3)});
}

TEST(Operations, RopeLeavesValuesPastItsDimensions) {
  for (const auto layout : {model::RopeLayout::interleaved, model::RopeLayout::halves}) {
    Values x = {1, 2, 3, 4, 5, 6};
    const uint32_t positions[] = {7};
    rope(x, 1, 6, positions, ropeSpec(layout, 4));
    EXPECT_EQ(x[4], 5);
    EXPECT_EQ(x[5], 6);
    EXPECT_NE(x[0], 1);
  }
}

TEST(Operations, RopeDividesFrequenciesByFactorsAndScalesByTheTemperature) {
  model::RopeSpec spec = ropeSpec(model::RopeLayout::interleaved, 4);
  spec.factors = {1.f, 4.f};
  spec.attentionScale = 0.5f;
  Values x = {1, 0, 1, 0};
  const uint32_t positions[] = {20};
  rope(x, 1, 4, positions, spec);
  expectNear(x, {std::cos(20) / 2, std::sin(20) / 2, std::cos(0.5) / 2, std::sin(0.5) / 2}, 1e-8);
}

TEST(Operations, RopeScalesPositions) {
  model::RopeSpec spec = ropeSpec(model::RopeLayout::interleaved, 2);
  spec.scale = 0.25f;
  Values x = {1, 0};
  const uint32_t positions[] = {8};
  rope(x, 1, 2, positions, spec);
  expectNear(x, {std::cos(2), std::sin(2)});
}

TEST(Operations, RopedProductsDependOnTheDistanceOnly) {
  const Values q = randomValues(8, 5);
  const Values k = randomValues(8, 6);
  const auto product = [&](uint32_t queryPosition, uint32_t keyPosition) {
    Values a = q;
    Values b = k;
    const model::RopeSpec spec = ropeSpec(model::RopeLayout::halves, 8);
    rope(a, 1, 8, std::span(&queryPosition, 1), spec);
    rope(b, 1, 8, std::span(&keyPosition, 1), spec);
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  EXPECT_NEAR(product(105, 100), product(5, 0), 1e-10);
  EXPECT_GT(std::abs(product(105, 100) - product(106, 100)), 1e-6);
}

TEST(Operations, AttentionByHand) {
  // Two query heads share one head of K and V; head size 1, scale 1.
  const Values q = {0, std::log(3.0)};
  const Values k = {1, 0};
  const Values v = {10, 20};
  const AttentionShape shape{2, 1, 1, 1.0};
  const auto everything = [](size_t, size_t) { return true; };
  expectNear(attention(q, k, v, shape, everything), {15, (3 * 10 + 1 * 20) / 4.0});
  const auto second = [](size_t, size_t key) { return key == 1; };
  expectNear(attention(q, k, v, shape, second), {20, 20});
  const auto nothing = [](size_t, size_t) { return false; };
  expectNear(attention(q, k, v, shape, nothing), {0, 0});
}

TEST(Operations, AttentionSharesKeyHeadsAmongGroups) {
  const AttentionShape shape{4, 2, 3, 0.7};
  const Values q = randomValues(2 * 4 * 3, 7);
  const Values k = randomValues(5 * 2 * 3, 8);
  const Values v = randomValues(5 * 2 * 3, 9);
  const auto mask = [](size_t row, size_t key) { return key <= row + 3; };
  Values expected(q.size(), 0.0);
  for (size_t row = 0; row < 2; ++row) {
    for (size_t head = 0; head < 4; ++head) {
      double sum = 0.0;
      for (size_t key = 0; key <= row + 3; ++key) {
        double score = 0.0;
        for (size_t e = 0; e < 3; ++e) score += q[(row * 4 + head) * 3 + e] * k[(key * 2 + head / 2) * 3 + e];
        const double weight = std::exp(0.7 * score);
        sum += weight;
        for (size_t e = 0; e < 3; ++e)
          expected[(row * 4 + head) * 3 + e] += weight * v[(key * 2 + head / 2) * 3 + e];
      }
      for (size_t e = 0; e < 3; ++e) expected[(row * 4 + head) * 3 + e] /= sum;
    }
  }
  expectNear(attention(q, k, v, shape, mask), expected);
}

TEST(Operations, AttentionOfHugeScoresStaysFinite) {
  const AttentionShape shape{1, 1, 1, 1.0};
  const auto everything = [](size_t, size_t) { return true; };
  expectNear(attention(Values{1000}, Values{1000, -1000}, Values{7, 9}, shape, everything), {7});
}

TEST(Operations, ReadsKeyIsTheDefinition) {
  const phase::LayerAttention window{phase::AttentionKind::window, 3, 2};
  std::string reads;
  for (uint32_t key = 0; key < 10; ++key) reads += readsKey(window, 7, key) ? '1' : '0';
  EXPECT_EQ(reads, "1100011100");
  EXPECT_TRUE(readsKey({}, 7, 7));
  EXPECT_FALSE(readsKey({}, 7, 8));
  EXPECT_FALSE(readsKey(window, 0, 1));
}

TEST(Operations, SwigluByHand) {
  expectNear(swiglu(Values{0, 1, -1000}, Values{5, 2, 3}), {0, 2 / (1 + std::exp(-1)), 0});
}

TEST(Operations, SoftmaxAndLikelihoods) {
  expectNear(softmax(Values{std::log(1), std::log(2), std::log(5)}), {1 / 8.0, 2 / 8.0, 5 / 8.0});
  EXPECT_NEAR(logSumExp(Values{1000, 1000}), 1000 + std::log(2), 1e-10);
  EXPECT_NEAR(negativeLogLikelihood(Values{std::log(1), std::log(2), std::log(5)}, 1), std::log(4), 1e-12);
}

}  // namespace
}  // namespace orthros::reference
