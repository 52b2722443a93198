// RoPE scaling as GGUF metadata describes it, turned into the numbers of a RopeSpec.
#pragma once

#include <string>

#include "engine/model/spec.hpp"

namespace orthros::model {

// Reads <prefix>.rope.freq_base and <prefix>.rope.scaling.* (also the older <prefix>.rope.scale_linear) into
// `rope`, whose layout, dimensions and factors (rope_freqs.weight, or empty) are set. `contextTokens` stands
// in for a missing original context length.
Status readRopeScaling(const gguf::File& file, const std::string& prefix, uint32_t contextTokens,
                       RopeSpec& rope);

// YaRN's parameters. Source: "YaRN: Efficient Context Window Extension of Large Language Models" (arXiv
// 2309.00071).
struct Yarn {
  float factor = 1.f;           // >= 1: how many times longer the context becomes
  float originalContext = 0.f;  // tokens
  float betaFast =
      32.f;  // pairs that turn more often than this within the original context keep their frequency
  float betaSlow = 1.f;       // pairs that turn less often are divided by `factor`
  float extrapolation = 1.f;  // weight of the kept frequencies, 0 to 1
  float logMultiplier = 0.f;  // of the temperature of the divided model
};

// Multiplies what YaRN does to each frequency into rope.factors and its temperature into rope.attentionScale:
// the forward pass then needs to know neither. Between the two betas the frequencies are mixed linearly, in
// pairs.
void applyYarn(const Yarn& yarn, RopeSpec& rope);

}  // namespace orthros::model
