#include "engine/reference/operations.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/checked.hpp"
#include "engine/base/parallel.hpp"

namespace orthros::reference {
namespace {

// Below this many multiplications, starting threads costs more than it saves.
constexpr size_t parallelThreshold = size_t{1} << 20;

void forEach(size_t count, size_t multiplications, const std::function<void(size_t)>& body) {
  if (multiplications >= parallelThreshold) return parallelFor(count, body);
  for (size_t i = 0; i < count; ++i) body(i);
}

// Several sums side by side let the compiler use vector instructions; their order is fixed.
double dot(const double* a, const double* b, size_t count) {
  constexpr size_t lanes = 8;
  double sums[lanes] = {};
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  double rest = 0.0;
  for (; i < count; ++i) rest += a[i] * b[i];
  return std::accumulate(std::begin(sums), std::end(sums), rest);
}

std::vector<double> softmaxOf(std::vector<double> values) {
  const double shift = logSumExp(values);
  for (double& value : values) value = std::exp(value - shift);
  return values;
}

std::vector<size_t> keysOf(size_t row, size_t keys, const KeyMask& mask) {
  std::vector<size_t> list;
  for (size_t key = 0; key < keys; ++key) {
    if (mask(row, key)) list.push_back(key);
  }
  return list;
}

// One query head of one row over the keys of its list.
void attendHead(const double* query, const double* k, const double* v, size_t stride,
                std::span<const size_t> keys, const AttentionShape& shape, double* result) {
  std::vector<double> scores;
  for (const size_t key : keys) scores.push_back(shape.scale * dot(query, k + key * stride, shape.headSize));
  const std::vector<double> weights = softmaxOf(std::move(scores));
  for (size_t i = 0; i < keys.size(); ++i) {
    const double* value = v + keys[i] * stride;
    for (size_t e = 0; e < shape.headSize; ++e) result[e] += weights[i] * value[e];
  }
}

}  // namespace

std::vector<double> widen(std::span<const float> values) {
  return {values.begin(), values.end()};
}

std::vector<double> rmsNorm(std::span<const double> x, std::span<const float> weight, double epsilon) {
  std::vector<double> result(x.size());
  const size_t width = weight.size();
  for (size_t begin = 0; begin + width <= x.size(); begin += width) {
    const double meanSquare = dot(&x[begin], &x[begin], width) / static_cast<double>(width);
    const double scale = 1.0 / std::sqrt(meanSquare + epsilon);
    for (size_t i = 0; i < width; ++i) result[begin + i] = x[begin + i] * scale * weight[i];
  }
  return result;
}

std::vector<double> matmul(std::span<const double> x, std::span<const float> weights, size_t inputs) {
  constexpr size_t outputsPerTask = 16;  // their weights stay in the cache while the rows pass by
  const size_t rows = x.size() / inputs;
  const size_t outputs = weights.size() / inputs;
  std::vector<double> result(rows * outputs);
  forEach(divideRoundingUp(outputs, outputsPerTask), rows * weights.size(), [&](size_t task) {
    const size_t begin = task * outputsPerTask;
    const size_t count = std::min(outputsPerTask, outputs - begin);
    const std::vector<double> columns = widen(weights.subspan(begin * inputs, count * inputs));
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < count; ++i) {
        result[row * outputs + begin + i] = dot(&x[row * inputs], &columns[i * inputs], inputs);
      }
    }
  });
  return result;
}

void rope(std::span<double> x, size_t heads, size_t headSize, std::span<const uint32_t> positions,
          const model::RopeSpec& spec) {
  const std::vector<double> frequencies = spec.frequencies();
  const bool interleaved = spec.layout == model::RopeLayout::interleaved;
  for (size_t row = 0; row < positions.size(); ++row) {
    for (size_t i = 0; i < frequencies.size(); ++i) {
      const double angle = positions[row] * frequencies[i];
      const double cosine = std::cos(angle) * spec.attentionScale;
      const double sine = std::sin(angle) * spec.attentionScale;
      for (size_t head = 0; head < heads; ++head) {
        double* values = &x[(row * heads + head) * headSize];
        double& first = values[interleaved ? 2 * i : i];
        double& second = values[interleaved ? 2 * i + 1 : i + frequencies.size()];
        const double rotated = first * cosine - second * sine;
        second = first * sine + second * cosine;
        first = rotated;
      }
    }
  }
}

std::vector<double> attention(std::span<const double> q, std::span<const double> k, std::span<const double> v,
                              const AttentionShape& shape, const KeyMask& mask) {
  const size_t queryWidth = shape.heads * shape.headSize;
  const size_t kvWidth = shape.kvHeads * shape.headSize;
  const size_t group = shape.heads / shape.kvHeads;
  const size_t rows = q.size() / queryWidth;
  const size_t keys = k.size() / kvWidth;
  std::vector<double> result(q.size(), 0.0);
  forEach(rows, rows * keys * queryWidth, [&](size_t row) {
    const std::vector<size_t> allowed = keysOf(row, keys, mask);
    if (allowed.empty()) return;
    for (size_t head = 0; head < shape.heads; ++head) {
      const size_t kvOffset = head / group * shape.headSize;
      const size_t offset = row * queryWidth + head * shape.headSize;
      attendHead(&q[offset], &k[kvOffset], &v[kvOffset], kvWidth, allowed, shape, &result[offset]);
    }
  });
  return result;
}

bool readsKey(const phase::LayerAttention& attention, uint32_t i, uint32_t j) {
  if (attention.kind == phase::AttentionKind::full) return j <= i;
  return j <= i && (i - j < attention.window || j < attention.sinks);
}

std::vector<double> swiglu(std::span<const double> gate, std::span<const double> up) {
  std::vector<double> result(gate.size());
  for (size_t i = 0; i < gate.size(); ++i) result[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
  return result;
}

std::vector<double> softmax(std::span<const double> values) {
  return softmaxOf({values.begin(), values.end()});
}

double logSumExp(std::span<const double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

double negativeLogLikelihood(std::span<const double> logits, uint32_t token) {
  return logSumExp(logits) - logits[token];
}

}  // namespace orthros::reference
