#include "engine/session/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace orthros::session {
namespace {

struct Scored {
  uint32_t token = 0;
  float logit = 0.f;
};

// Orders a heap so that the best candidate is on top: the largest logit, the lowest id among equals.
bool worse(const Scored& a, const Scored& b) {
  return a.logit < b.logit || (a.logit == b.logit && a.token > b.token);
}

std::vector<float> penalised(const Sampling& sampling, std::span<const float> logits,
                             std::span<const uint32_t> recent) {
  std::vector<float> changed(logits.begin(), logits.end());
  for (const uint32_t token : recent) {
    if (token >= logits.size()) continue;
    const float logit = logits[token];
    changed[token] = logit > 0.f ? logit / sampling.repetitionPenalty : logit * sampling.repetitionPenalty;
  }
  return changed;
}

std::vector<Scored> finiteScores(std::span<const float> logits) {
  std::vector<Scored> scores;
  scores.reserve(logits.size());
  for (uint32_t token = 0; token < logits.size(); ++token) {
    if (std::isfinite(logits[token])) scores.push_back({token, logits[token]});
  }
  return scores;
}

// Sum of exp(logit - largest) over the scores that top-k leaves: what top-p and min-p measure against.
double massOf(std::span<const Scored> scores, float largest) {
  double mass = 0.0;
  for (const Scored& score : scores) mass += std::exp(static_cast<double>(score.logit) - largest);
  return mass;
}

void keepTopK(std::vector<Scored>& scores, uint32_t topK) {
  if (topK == 0 || topK >= scores.size()) return;
  std::nth_element(scores.begin(), scores.begin() + (topK - 1), scores.end(),
                   [](const Scored& a, const Scored& b) { return worse(b, a); });
  scores.resize(topK);
}

// The best candidates, best first, until top-p's mass is reached or min-p's bound is passed; at least one.
std::vector<Scored> keepNucleus(std::vector<Scored> heap, const Sampling& sampling) {
  std::make_heap(heap.begin(), heap.end(), worse);
  const float largest = heap.front().logit;
  const double wanted = sampling.topP * massOf(heap, largest);
  std::vector<Scored> kept;
  double mass = 0.0;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const double share = std::exp(static_cast<double>(heap.back().logit) - largest);
    if (!kept.empty() && share < sampling.minP) break;
    kept.push_back(heap.back());
    heap.pop_back();
    mass += share;
    if (sampling.topP < 1.f && mass >= wanted) break;
  }
  return kept;
}

std::vector<Candidate> withTemperature(std::span<const Scored> scores, float temperature) {
  const float largest = std::max_element(scores.begin(), scores.end(), worse)->logit;
  std::vector<Candidate> candidates;
  candidates.reserve(scores.size());
  double sum = 0.0;
  for (const Scored& score : scores) {
    const double weight = std::exp((static_cast<double>(score.logit) - largest) / temperature);
    candidates.push_back({score.token, weight});
    sum += weight;
  }
  for (Candidate& candidate : candidates) candidate.probability /= sum;
  return candidates;
}

Status wrongField(const char* field, const char* bound) {
  return fail(ErrorCode::invalidArgument, field, bound, "Choose another value");
}

}  // namespace

bool penalises(const Sampling& sampling) {
  return sampling.repetitionPenalty != 1.f && sampling.repetitionWindow > 0;
}

Status validate(const Sampling& sampling) {
  if (!std::isfinite(sampling.temperature) || sampling.temperature < 0.f) {
    return wrongField("temperature", "must be 0 or more");
  }
  if (!(sampling.topP > 0.f && sampling.topP <= 1.f)) {
    return wrongField("top-p", "must be above 0 and at most 1");
  }
  if (!(sampling.minP >= 0.f && sampling.minP < 1.f)) return wrongField("min-p", "must be from 0 to below 1");
  if (!std::isfinite(sampling.repetitionPenalty) || sampling.repetitionPenalty <= 0.f) {
    return wrongField("repetition penalty", "must be above 0");
  }
  return {};
}

Result<std::vector<Candidate>> distribution(const Sampling& sampling, std::span<const float> logits,
                                            std::span<const uint32_t> recent) {
  std::vector<float> changed;
  if (penalises(sampling) && !recent.empty()) {
    changed = penalised(sampling, logits, recent);
    logits = changed;
  }
  std::vector<Scored> scores = finiteScores(logits);
  if (scores.empty()) {
    return fail(ErrorCode::internal, "logits", "hold no finite number",
                "Run `orthros-cli selftest` to check this device");
  }
  if (sampling.temperature == 0.f) {
    return std::vector<Candidate>{{std::max_element(scores.begin(), scores.end(), worse)->token, 1.0}};
  }
  keepTopK(scores, sampling.topK);
  if (sampling.topP < 1.f || sampling.minP > 0.f) scores = keepNucleus(std::move(scores), sampling);
  return withTemperature(scores, sampling.temperature);
}

Result<Sampler> Sampler::create(const Sampling& sampling) {
  ORTHROS_TRY(validate(sampling));
  return Sampler(sampling);
}

Result<uint32_t> Sampler::sample(std::span<const float> logits) {
  const std::vector<uint32_t> recent(recent_.begin(), recent_.end());
  ORTHROS_ASSIGN(const auto candidates, distribution(sampling_, logits, recent));
  if (candidates.size() == 1) return candidates.front().token;
  double left = random_.uniform();
  for (const Candidate& candidate : candidates) {
    left -= candidate.probability;
    if (left < 0.0) return candidate.token;
  }
  return candidates.back().token;
}

void Sampler::accept(uint32_t token) {
  if (!penalises(sampling_)) return;
  recent_.push_back(token);
  if (recent_.size() > sampling_.repetitionWindow) recent_.pop_front();
}

}  // namespace orthros::session
