// Chooses the next token from a row of logits.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/session/ask_request.hpp"
#include "engine/session/random.hpp"

namespace orthros::session {

struct Candidate {
  uint32_t token = 0;
  double probability = 0.0;
};

// Temperature and penalty finite, penalty > 0, top-p in (0, 1], min-p in [0, 1). The error names the field.
Status validate(const Sampling& sampling);

bool penalises(const Sampling& sampling);
// The answer is the likeliest token each time, whatever was said before.
inline bool isGreedy(const Sampling& sampling) {
  return sampling.temperature == 0.f && !penalises(sampling);
}

// The tokens that may be drawn and their probabilities, which sum to 1. The steps, in order: repetition
// penalty for the tokens of `recent`, top-k, top-p and min-p on the model's own distribution, temperature.
// Greedy sampling gives the one largest logit, the lowest id among equals. `logits` is [vocabulary]; an entry
// that is not a number is never drawn; an error where none is finite.
Result<std::vector<Candidate>> distribution(const Sampling& sampling, std::span<const float> logits,
                                            std::span<const uint32_t> recent);

class Sampler {
 public:
  static Result<Sampler> create(const Sampling& sampling);

  Result<uint32_t> sample(std::span<const float> logits);
  // Adds a token of the conversation, prompt or answer, to the window that the repetition penalty looks at.
  void accept(uint32_t token);

 private:
  explicit Sampler(const Sampling& sampling) : sampling_(sampling), random_(sampling.seed) {}

  Sampling sampling_;
  Random random_;
  std::deque<uint32_t> recent_;
};

}  // namespace orthros::session
