// The operations of a transformer in plain C++ and double precision: what every kernel is compared with.
//
// Arrays are row-major; shapes stand beside them with the slowest dimension first. Each output element is
// summed in one fixed order that does not depend on the other rows, so results never depend on how rows are
// batched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/phase/plan.hpp"

namespace orthros::reference {

// float inputs of a kernel, exactly.
std::vector<double> widen(std::span<const float> values);

// x [rows, width], weight [width] -> [rows, width]: x / sqrt(mean(x^2) + epsilon) * weight
std::vector<double> rmsNorm(std::span<const double> x, std::span<const float> weight, double epsilon);

// x [rows, inputs], weights [outputs, inputs] -> [rows, outputs]: x times the transposed weights
std::vector<double> matmul(std::span<const double> x, std::span<const float> weights, size_t inputs);

// Rotates x [rows, heads, headSize] in place; row r stands at positions[r]. Values past rope.dimensions stay.
void rope(std::span<double> x, size_t heads, size_t headSize, std::span<const uint32_t> positions,
          const model::RopeSpec& spec);

struct AttentionShape {
  size_t heads = 0;
  size_t kvHeads = 0;
  size_t headSize = 0;
  double scale = 1.0;  // multiplies Q.K
};
// Whether a row (index into q) reads a key (index into k).
using KeyMask = std::function<bool(size_t row, size_t key)>;
// q [rows, heads, headSize], k and v [keys, kvHeads, headSize] -> [rows, heads, headSize]; 0 for a row
// without keys.
std::vector<double> attention(std::span<const double> q, std::span<const double> k, std::span<const double> v,
                              const AttentionShape& shape, const KeyMask& mask);

// The phase rule as it is defined, word for word, without intervals: whether the row at position i reads key
// j.
bool readsKey(const phase::LayerAttention& attention, uint32_t i, uint32_t j);

// gate / (1 + exp(-gate)) * up, element by element
std::vector<double> swiglu(std::span<const double> gate, std::span<const double> up);

std::vector<double> softmax(std::span<const double> values);
// Natural logarithm of the sum of exp(value).
double logSumExp(std::span<const double> values);
// -ln p(token) under the logits [vocabulary] of one row.
double negativeLogLikelihood(std::span<const double> logits, uint32_t token);

}  // namespace orthros::reference
