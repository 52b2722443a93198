#include "engine/evaluate/self_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/gguf/file.hpp"
#include "engine/model/forward.hpp"
#include "engine/model/synth.hpp"
#include "engine/phase/presets.hpp"
#include "engine/reference/model.hpp"
#include "engine/session/random.hpp"

namespace orthros::evaluate {
namespace {

using phase::Phase;

// Rows of the sequence and how they are cut: large, small and single batches all take part, and the window of
// the phase-aware plan is passed several times.
constexpr uint32_t batches[] = {48, 5, 1, 40, 1, 8, 1};
constexpr uint32_t tailRows = 10;

struct TestCase {
  gguf::Format format;
  model::KvPrecision kv;
  const char* plan;
  double allowedError;  // logits of these models spread by about 2
};

constexpr TestCase testCases[] = {
    {gguf::Format::f32, model::KvPrecision::f32, "vanilla", 2e-4},
    {gguf::Format::f32, model::KvPrecision::f32, "orthros", 2e-4},
    {gguf::Format::f16, model::KvPrecision::f16, "orthros", 3e-2},
    {gguf::Format::q8_0, model::KvPrecision::f16, "orthros", 3e-2},
    {gguf::Format::q4_1, model::KvPrecision::f16, "vanilla", 3e-2},
    {gguf::Format::q4_1, model::KvPrecision::f16, "orthros", 3e-2},
};

struct Sequence {
  std::vector<uint32_t> tokens;
  std::vector<Phase> phases;
};

Sequence sequenceFor(uint32_t vocabulary) {
  Sequence sequence;
  session::Random random(7);
  uint32_t rows = 0;
  for (const uint32_t batch : batches) rows += batch;
  for (uint32_t row = 0; row < rows; ++row) {
    sequence.tokens.push_back(static_cast<uint32_t>(random.next() % vocabulary));
    sequence.phases.push_back(row + tailRows < rows ? Phase::prefill : Phase::decode);
  }
  return sequence;
}

// Logits [rows, vocabulary] of the device, batch by batch.
Result<std::vector<float>> deviceLogits(const std::shared_ptr<model::DeviceModel>& model,
                                        const phase::PhasePlan& plan, const Sequence& sequence,
                                        const CancelToken& cancel) {
  ORTHROS_ASSIGN(const auto forward, model::Forward::create(model, plan));
  const auto rows = static_cast<uint32_t>(sequence.tokens.size());
  ORTHROS_ASSIGN(const auto cache, model::KvCache::create(model, rows));
  const size_t vocabulary = model->spec().vocabulary;
  std::vector<float> logits(rows * vocabulary);
  uint32_t begin = 0;
  for (const uint32_t count : batches) {
    const auto target = std::span(logits).subspan(begin * vocabulary, count * vocabulary);
    const model::RowBatch batch{std::span(sequence.tokens).subspan(begin, count),
                                std::span(sequence.phases).subspan(begin, count), count};
    const auto report = forward->run(*cache, batch, target, cancel);
    if (!report) return fail(report.error());
    begin += count;
  }
  return logits;
}

double largestDifference(std::span<const float> found, std::span<const double> exact) {
  double largest = 0.0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(static_cast<double>(found[i]) - exact[i]);
    if (!(difference < std::numeric_limits<double>::infinity()))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

Result<SelfTestResult> runCase(const TestCase& test, const std::shared_ptr<vulkan::Device>& device,
                               const CancelToken& cancel) {
  model::SynthOptions options;
  options.format = test.format;
  options.headSize = 64;
  options.width = 256;
  ORTHROS_ASSIGN(const auto bytes, model::synthBytes(options));
  ORTHROS_ASSIGN(const gguf::File file, gguf::File::parse(bytes, "generated model"));
  ORTHROS_ASSIGN(const model::ModelSpec spec, model::readSpec(file));
  ORTHROS_ASSIGN(const auto plan, phase::preset(test.plan, spec.layers,
                                                {.window = 12, .sinks = 3, .tail = tailRows, .fullMax = 0}));
  model::LoadSettings settings;
  settings.weights =
      test.format == gguf::Format::f32 ? model::WeightPrecision::f32 : model::WeightPrecision::automatic;
  settings.kv = test.kv;
  settings.maxBatchRows = 64;
  ORTHROS_ASSIGN(const auto model, model::DeviceModel::load(device, file, nullptr, settings, {}, cancel));
  const Sequence sequence = sequenceFor(spec.vocabulary);
  ORTHROS_ASSIGN(const auto found, deviceLogits(model, plan, sequence, cancel));
  ORTHROS_ASSIGN(auto weights, reference::loadWeights(file, spec));
  const reference::ReferenceModel exact(spec, std::move(weights));
  ORTHROS_ASSIGN(const auto expected,
                 exact.logits({sequence.tokens, sequence.phases, sequence.tokens.size()}, plan));
  return SelfTestResult{std::string(gguf::traitsOf(test.format)->name) + ", " + test.plan,
                        largestDifference(found, expected), test.allowedError};
}

}  // namespace

Result<std::vector<SelfTestResult>> runSelfTest(const std::shared_ptr<vulkan::Device>& device,
                                                const ProgressCallback& progress, const CancelToken& cancel) {
  std::vector<SelfTestResult> results;
  for (const TestCase& test : testCases) {
    ORTHROS_TRY(cancel.check("self-test"));
    ORTHROS_ASSIGN(SelfTestResult result, runCase(test, device, cancel));
    results.push_back(std::move(result));
    if (progress) progress({"self-test", results.size(), std::size(testCases)});
  }
  return results;
}

bool passed(const std::vector<SelfTestResult>& results) {
  return std::all_of(results.begin(), results.end(),
                     [](const SelfTestResult& result) { return result.passed(); });
}

nlohmann::json toJson(const std::vector<SelfTestResult>& results) {
  nlohmann::json list = nlohmann::json::array();
  for (const SelfTestResult& one : results) {
    list.push_back({{"name", one.name},
                    {"largestError", one.largestError},
                    {"allowedError", one.allowedError},
                    {"passed", one.passed()}});
  }
  return list;
}

}  // namespace orthros::evaluate
