#include "tests/property/random_conversations.hpp"

namespace orthros::test {

uint32_t below(std::mt19937_64& random, uint32_t limit) {
  return static_cast<uint32_t>(random() % limit);
}

namespace {

phase::LayerAttention randomAttention(std::mt19937_64& random, uint32_t longestWindow) {
  if (below(random, 4) == 0) return {};
  return {phase::AttentionKind::window, 1 + below(random, longestWindow), below(random, longestWindow / 2)};
}

}  // namespace

std::vector<uint32_t> randomTokens(std::mt19937_64& random, size_t count, uint32_t vocabulary) {
  std::vector<uint32_t> tokens(count);
  for (uint32_t& token : tokens) token = below(random, vocabulary);
  return tokens;
}

phase::PhasePlan randomPlan(std::mt19937_64& random, uint32_t layers, uint32_t longestWindow) {
  const bool perLayer = below(random, 2) == 0;
  const bool windowedDecode = below(random, 3) == 0;
  const phase::LayerAttention uniform = randomAttention(random, longestWindow);
  phase::PhasePlan plan;
  plan.name = "custom";
  for (uint32_t layer = 0; layer < layers; ++layer) {
    plan.prefill.push_back(perLayer ? randomAttention(random, longestWindow) : uniform);
    plan.decode.push_back(windowedDecode ? randomAttention(random, longestWindow) : phase::LayerAttention{});
  }
  plan.tail = 1 + below(random, 10);
  plan.fullMax = below(random, 3) == 0 ? 0 : below(random, 12);
  return plan;
}

phase::PhaseSpans randomConversation(std::mt19937_64& random, const phase::PhasePlan& plan, uint32_t segments,
                                     uint32_t longestPrompt) {
  phase::PhaseSpans spans;
  for (uint32_t segment = 0; segment < segments; ++segment) {
    spans.appendSegment(plan, 1 + below(random, longestPrompt));
    spans.append({spans.length(), spans.length() + below(random, 5), phase::Phase::decode});
  }
  return spans;
}

}  // namespace orthros::test
