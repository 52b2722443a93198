// The criteria that the two golden files are held to.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/golden/golden_support.hpp"

namespace orthros::golden {

// A test's name from its case's.
std::string caseName(const ::testing::TestParamInfo<const char*>& info);

// The base model under full attention against smollm2-135m.json.
// f16 cache: five best logits within 0.2, likelihood within 0.3 %, choices equal where the margin exceeds
// 0.2. f32 cache: logits within 0.02.
inline constexpr Tolerance baseHalfCache{.logit = 0.2, .nllShare = 0.003, .decidedMargin = 0.2};
inline constexpr Tolerance baseFloatCache{.logit = 0.02, .nllShare = 0.003, .decidedMargin = 0.02};

void checkBasePrompt(const std::string& name, model::KvPrecision kv);

// The converted model against smollm2-135m-orthros.json. As shipped (merged weights in 8 bits, f16 cache):
// logits within 0.25; f32 weights and f32 cache: within 0.03. Likelihood within 0.5 %, choices to the first
// margin below 0.3.
inline constexpr Tolerance orthrosShipped{.logit = 0.25, .nllShare = 0.005, .decidedMargin = 0.3};
inline constexpr Tolerance orthrosFloat{.logit = 0.03, .nllShare = 0.005, .decidedMargin = 0.3};

// Gives back what was measured, for further expectations.
std::optional<Measured> checkOrthrosCase(const std::string& name, bool floatWeights);

}  // namespace orthros::golden
