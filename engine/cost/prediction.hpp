// The cost model: work, memory and speed-up for (shape, plan, length), without looking at kernels.
//
//   prefill of N tokens        FLOP  L (2 M N + c pairs) + 2 d V, pairs exactly those the plan allows
//   decode of one token        FLOP  L (2 M + c n) + 2 d V;  bytes  weights + 2 L Hkv h b n
//   memory at n tokens         weights + 2 L Hkv h b n + workspace
//   speed-up over full         (eta A + N/2) / (eta A + W + S + tail), eta = attention / matmul efficiency
// Where layers differ, L times a layer's term is the sum over layers. Sums that do not fit 64 bits stop at
// the largest number. Symbols: shape.hpp. What the engine's own graph does, dispatch by dispatch: events.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/cost/rates.hpp"
#include "engine/cost/shape.hpp"
#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"

namespace orthros::cost {

// Allowed (query, key) pairs of the rows of `spans`, summed over layers: in closed form, and by adding up the
// key intervals of every row. The two agree, or the phase rule is broken.
uint64_t pairsInClosedForm(const phase::PhasePlan& plan, std::span<const phase::PhaseSpan> spans);
uint64_t pairsRowByRow(const phase::PhasePlan& plan, std::span<const phase::PhaseSpan> spans);

struct Prediction {
  uint64_t rows = 0;
  uint64_t pairs = 0;       // summed over layers
  uint64_t matmulFlop = 0;  // the output matrix for one row included
  uint64_t attentionFlop = 0;
  uint64_t bytes = 0;  // prefill: weights read once and the rows' K and V written once, the least possible
  uint64_t flop() const;
};

// Prefill of the rows of `spans` (a new segment, any position), logits of the last row.
Prediction predictPrefill(const ModelShape& shape, const phase::PhasePlan& plan,
                          std::span<const phase::PhaseSpan> spans);
// Prefill of a prompt of `tokens` tokens in an empty conversation.
Prediction predictPrompt(const ModelShape& shape, const phase::PhasePlan& plan, uint32_t tokens);
// Decode of the token whose row is the n-th: n = `depth` keys are cached, its own included. depth >= 1.
Prediction predictDecode(const ModelShape& shape, const phase::PhasePlan& plan, uint32_t depth);

// Nanoseconds; empty where a rate is unknown. Prefill follows arithmetic, decode memory.
std::optional<double> prefillNs(const Prediction& prefill, const DeviceRates& rates);
std::optional<double> decodeNs(const Prediction& decode, const DeviceRates& rates);

struct MemoryPrediction {
  uint64_t weights = 0;
  uint64_t kv = 0;
  uint64_t workspace = 0;
  uint64_t total() const;
};
MemoryPrediction predictMemory(const ModelShape& shape, uint32_t tokens, uint64_t workspaceBytes);
// The longest context in tokens whose memory fits the budget; 0 where not even the weights do.
uint32_t largestContext(const ModelShape& shape, uint64_t budgetBytes, uint64_t workspaceBytes);

// The speed-up over full attention as the head of this file states it: `equivalentKeys` is A (shape.hpp),
// `tokens` N, and `keys` W + S + tail.
double speedUpFormula(double equivalentKeys, double eta, double tokens, double keys);

struct SpeedUp {
  double endToEnd = 1.0;
  double attention = 1.0;
};
// The same from exact counts of FLOP and pairs, for a prompt of `tokens` tokens in an empty conversation:
// full attention over `plan`. Both are 1 for an empty prompt.
SpeedUp predictSpeedUp(const ModelShape& shape, const phase::PhasePlan& plan, uint32_t tokens, double eta);

}  // namespace orthros::cost
