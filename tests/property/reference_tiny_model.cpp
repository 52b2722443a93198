#include "tests/property/reference_tiny_model.hpp"

#include <cmath>

namespace orthros::reference {
namespace {

class NormalNumbers {
 public:
  explicit NormalNumbers(uint64_t seed) : random_(seed) {}

  std::vector<float> next(size_t count, double deviation, double mean = 0.0) {
    std::normal_distribution<double> distribution(mean, deviation);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(distribution(random_));
    return values;
  }
  std::vector<float> matrix(size_t outputs, size_t inputs, double gain = 1.0) {
    return next(outputs * inputs, gain / std::sqrt(static_cast<double>(inputs)));
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

model::ModelSpec tinySpec() {
  model::ModelSpec spec;
  spec.architecture = "llama";
  spec.layers = 3;
  spec.width = 24;
  spec.heads = 4;
  spec.kvHeads = 2;
  spec.headSize = 8;
  spec.feedForward = 40;
  spec.vocabulary = 50;
  spec.contextTokens = 256;
  spec.attentionScale = 1.f / std::sqrt(8.f);
  spec.tiedOutput = true;
  spec.rope.dimensions = 8;
  spec.rope.base = 1000.f;
  return spec;
}

ReferenceWeights tinyWeights(const model::ModelSpec& spec, uint64_t seed) {
  // Large products in attention make a row depend strongly on which keys it reads.
  constexpr double attentionGain = 3.0;
  NormalNumbers numbers(seed);
  const size_t queryWidth = size_t{spec.heads} * spec.headSize;
  const size_t kvWidth = size_t{spec.kvHeads} * spec.headSize;
  ReferenceWeights weights;
  weights.embedding = numbers.next(size_t{spec.vocabulary} * spec.width, 1.0);
  weights.outputNorm = numbers.next(spec.width, 0.1, 1.0);
  if (!spec.tiedOutput) weights.output = numbers.matrix(spec.vocabulary, spec.width);
  for (uint32_t layer = 0; layer < spec.layers; ++layer) {
    LayerWeights& entry = weights.layers.emplace_back();
    entry.attentionNorm = numbers.next(spec.width, 0.1, 1.0);
    entry.q = numbers.matrix(queryWidth, spec.width, attentionGain);
    entry.k = numbers.matrix(kvWidth, spec.width, attentionGain);
    entry.v = numbers.matrix(kvWidth, spec.width);
    entry.attentionOutput = numbers.matrix(spec.width, queryWidth);
    entry.feedForwardNorm = numbers.next(spec.width, 0.1, 1.0);
    entry.gate = numbers.matrix(spec.feedForward, spec.width);
    entry.up = numbers.matrix(spec.feedForward, spec.width);
    entry.down = numbers.matrix(spec.width, spec.feedForward);
    if (!spec.qkvBias) continue;
    entry.qBias = numbers.next(queryWidth, 0.5);
    entry.kBias = numbers.next(kvWidth, 0.5);
    entry.vBias = numbers.next(kvWidth, 0.5);
  }
  return weights;
}

}  // namespace orthros::reference
