// The correctness properties of phase-aware attention on a device: any plan, any cut into batches, any tail
// gives what one masked dense pass in double precision gives.
#include <algorithm>
#include <cmath>

#include "engine/phase/presets.hpp"
#include "tests/property/device_model_fixture.hpp"
#include "tests/property/random_conversations.hpp"

namespace orthros::test {
namespace {

using model::SynthOptions;
using phase::Phase;
using phase::PhasePlan;
using phase::PhaseSpans;
using reference::phasesOf;

// Head sizes and groupings that reach every attention kernel: compiled for CPUs with 1, 2 and 3 heads per
// key, and the portable one; widths that need padding.
SynthOptions shape(uint32_t heads, uint32_t kvHeads, uint32_t headSize, uint32_t width, bool tied = true) {
  SynthOptions options;
  options.layers = 3;
  options.heads = heads;
  options.kvHeads = kvHeads;
  options.headSize = headSize;
  options.width = width;
  options.feedForward = 2 * width + 8;
  options.vocabulary = 301;
  options.format = gguf::Format::f32;
  options.tokenizer = false;
  options.tied = tied;
  options.ropeFreqs = !tied;
  options.ropeScaling = tied ? 1.f : 2.f;
  options.seed = heads * 100 + headSize;
  return options;
}

const SynthOptions shapes[] = {shape(3, 1, 64, 96), shape(4, 2, 64, 72, false), shape(2, 2, 128, 64),
                               shape(6, 2, 16, 80), shape(4, 1, 40, 64, false)};

// Of logits with a deviation of about 2: rounding of f32, or of the cache and rows to f16.
double allowedError(kernels::Flavour flavour) {
  const bool halves = flavour == kernels::Flavour::cooperative || flavour == kernels::Flavour::subgroups;
  return halves ? 4e-2 : 2e-4;
}

class DevicePhaseTest : public DeviceModelTest {
 protected:
  PhasePlan preset(const char* name, const phase::PresetOptions& options = {}) const {
    return *phase::preset(name, model_->spec().layers, options);
  }

  PhaseSpans promptSpans(const PhasePlan& plan, uint32_t length) const {
    PhaseSpans spans;
    spans.appendSegment(plan, length);
    return spans;
  }

  // Rows in random batches, each wanting a random number of logits, against the rows of `exact`.
  double worstOfRandomCut(const PhasePlan& plan, std::span<const uint32_t> rows,
                          std::span<const Phase> phases, std::span<const double> exact,
                          uint32_t longestBatch) {
    const auto forward = forwardFor(plan);
    const auto cache = newCache();
    const size_t vocabulary = model_->spec().vocabulary;
    double worst = 0;
    for (size_t begin = 0; begin < rows.size();) {
      const size_t count = std::min<size_t>(1 + below(random_, longestBatch), rows.size() - begin);
      const uint32_t wanted = below(random_, 3) == 0 ? below(random_, static_cast<uint32_t>(count) + 1) : 1;
      const Logits logits =
          runBatch(*forward, *cache, rows.subspan(begin, count), phases.subspan(begin, count), wanted);
      begin += count;
      const auto expected = exact.subspan((begin - wanted) * vocabulary, wanted * vocabulary);
      for (size_t i = 0; i < logits.size(); ++i) {
        const double difference = std::abs(logits[i] - expected[i]);
        worst = std::isfinite(logits[i]) ? std::max(worst, difference) : INFINITY;
      }
    }
    return worst;
  }

  std::vector<float> promptLogits(const PhasePlan& plan, const std::vector<uint32_t>& rows) const {
    const auto phases = phasesOf(promptSpans(plan, static_cast<uint32_t>(rows.size())).spans());
    const auto forward = forwardFor(plan);
    const auto cache = newCache();
    return runBatch(*forward, *cache, rows, phases, static_cast<uint32_t>(rows.size()));
  }
};

TEST_F(DevicePhaseTest, AnyPlanAnyCutAnyTailEqualsTheDensePassInDoublePrecision) {
  for (const kernels::Flavour flavour : flavours()) {
    for (const SynthOptions& options : shapes) {
      load(options, flavour);
      for (int round = 0; round < 4; ++round) {
        PhasePlan plan = randomPlan(random_, options.layers, round % 2 == 0 ? 12 : 70);
        plan.tail = 1 + below(random_, 40);
        const PhaseSpans spans = randomConversation(random_, plan, 1 + below(random_, 3), 90);
        const auto rows = tokens(spans.length());
        const auto phases = phasesOf(spans.spans());
        const auto exact = must(exact_->logits({rows, phases, rows.size()}, plan));
        const uint32_t shortest = round == 0 ? 3 : 20;  // many batches of few rows take long under validation
        for (const uint32_t longestBatch : {shortest, 200u}) {
          EXPECT_LT(worstOfRandomCut(plan, rows, phases, exact, longestBatch), allowedError(flavour))
              << kernels::flavourName(flavour) << ", heads of " << options.headSize << ", round " << round
              << ", batches of up to " << longestBatch;
        }
      }
    }
  }
}

TEST_F(DevicePhaseTest, APromptWithinTheWindowEqualsVanillaBitForBit) {
  for (const kernels::Flavour flavour : flavours()) {
    load(shapes[0], flavour);
    const PhasePlan plan = preset("orthros", {.window = 64, .sinks = 3, .tail = 1, .fullMax = 0});
    for (const uint32_t length : {1u, 7u, 63u, 64u}) {
      const auto rows = tokens(length);
      EXPECT_EQ(promptLogits(plan, rows), promptLogits(preset("vanilla"), rows)) << length;
    }
    const auto longer = tokens(80);
    EXPECT_NE(promptLogits(plan, longer), promptLogits(preset("vanilla"), longer));
  }
}

TEST_F(DevicePhaseTest, ATailAsLongAsThePromptEqualsVanillaBitForBit) {
  for (const kernels::Flavour flavour : flavours()) {
    load(shapes[0], flavour);
    const auto rows = tokens(90);
    for (const uint32_t tail : {90u, 1000u}) {
      const PhasePlan plan = preset("orthros", {.window = 4, .sinks = 2, .tail = tail, .fullMax = 0});
      EXPECT_EQ(promptLogits(plan, rows), promptLogits(preset("vanilla"), rows)) << tail;
    }
    const PhasePlan shorter = preset("orthros", {.window = 4, .sinks = 2, .tail = 80, .fullMax = 0});
    EXPECT_NE(promptLogits(shorter, rows), promptLogits(preset("vanilla"), rows));
  }
}

TEST_F(DevicePhaseTest, BranchTruncateAndReplayReproduceTheCacheBitForBit) {
  constexpr uint32_t batchRows = 50;
  for (const kernels::Flavour flavour : flavours()) {
    load(shapes[1], flavour);
    for (int round = 0; round < 4; ++round) {
      const PhasePlan plan = randomPlan(random_, model_->spec().layers, 40);
      const PhaseSpans spans = randomConversation(random_, plan, 3, 150);
      const auto rows = tokens(spans.length());
      const auto phases = phasesOf(spans.spans());
      const auto forward = forwardFor(plan);
      const auto cache = newCache();
      const Logits logits = runRows(*forward, *cache, rows, phases, batchRows);
      const auto content = must(cache->read());

      const auto branch = must(cache->copy());
      EXPECT_EQ(must(branch->read()), content);
      const uint32_t kept = batchRows * below(random_, cache->length() / batchRows + 1);
      branch->truncate(kept);
      EXPECT_EQ(branch->length(), kept);
      EXPECT_EQ(runRows(*forward, *branch, std::span(rows).subspan(kept), std::span(phases).subspan(kept),
                        batchRows),
                kept < rows.size() ? logits : Logits());
      EXPECT_EQ(must(branch->read()), content) << "from row " << kept;
      EXPECT_EQ(must(cache->read()), content) << "the branch wrote into the cache it came from";
    }
  }
}

// Rows generated on the device against rows computed one by one with the likeliest token chosen here: across
// growth of the cache, other numbers of parts of attention, a truncation and a branch.
TEST_F(DevicePhaseTest, GeneratedRowsEqualRowsChosenOneByOne) {
  constexpr uint32_t steps = model::Forward::maxGeneratedRows;
  for (const kernels::Flavour flavour : flavours()) {
    load(shapes[0], flavour);
    const PhasePlan plan = randomPlan(random_, model_->spec().layers, 40);
    const auto forward = forwardFor(plan);
    std::unique_ptr<model::KvCache> generated = newCache(), stepped = newCache();
    const auto prompt = tokens(model::KvCache::pageRows - 20);
    const std::vector<Phase> phases(prompt.size(), Phase::prefill);
    runRows(*forward, *generated, prompt, phases, 100);
    runRows(*forward, *stepped, prompt, phases, 100);
    uint32_t token = prompt.back();
    for (uint32_t round = 0; round < 5; ++round) {
      std::vector<uint32_t> chosen(round == 1 ? 3 : steps), expected;
      const auto reports = must(forward->generate(*generated, token, chosen, {}));
      for (size_t i = 0; i < chosen.size(); ++i) {
        constexpr Phase answer[] = {Phase::decode};
        Logits logits(model_->spec().vocabulary);
        const auto report = must(forward->run(*stepped, {{&token, 1}, answer, 1}, logits, {}));
        EXPECT_EQ(reports[i].attentionPairs, report.attentionPairs);
        for (const auto& [name, operation] : report.work.operations) {
          const auto& same = reports[i].work.operations.at(name);
          EXPECT_EQ(same.dispatches, operation.dispatches) << name;
          EXPECT_EQ(same.flop, operation.flop) << name;
          EXPECT_EQ(same.bytes, operation.bytes) << name;
        }
        token = static_cast<uint32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
        expected.push_back(token);
      }
      EXPECT_EQ(chosen, expected) << kernels::flavourName(flavour) << ", round " << round;
      EXPECT_EQ(must(generated->read()), must(stepped->read()));
      if (round == 2) generated = must(generated->copy());
      if (round != 3) continue;
      generated->truncate(generated->length() - 5);
      stepped->truncate(stepped->length() - 5);
      token = expected[expected.size() - 6];
    }
  }
}

// Tokens chosen for several known rows at once against the same rows one by one, bit for bit: right rows and
// wrong ones, across other numbers of parts of attention.
TEST_F(DevicePhaseTest, TokensChosenTogetherEqualTokensChosenOneByOne) {
  constexpr uint32_t most = model::Forward::maxChosenRows;
  for (const kernels::Flavour flavour : flavours()) {
    load(shapes[0], flavour);
    const PhasePlan plan = randomPlan(random_, model_->spec().layers, 40);
    const auto forward = forwardFor(plan);
    for (const uint32_t promptRows : {1u, 61u, 123u, 250u, 379u}) {
      const auto one = newCache(), several = newCache();
      const auto prompt = tokens(promptRows + 1);
      const std::vector<Phase> phases(promptRows, Phase::prefill);
      for (model::KvCache* cache : {one.get(), several.get()})
        runRows(*forward, *cache, std::span(prompt).first(promptRows), phases, 100);
      std::vector<uint32_t> next(2 * most);
      must(forward->generate(*one, prompt.back(), next, {}));
      std::vector<uint32_t> rows = {prompt.back()};
      rows.insert(rows.end(), next.begin(), next.end() - 1);
      const auto content = must(one->read());
      for (uint32_t row = 0, round = 0; row < rows.size(); ++round) {
        const uint32_t count = std::min<uint32_t>(most - round % 3, static_cast<uint32_t>(rows.size()) - row);
        std::vector<uint32_t> batch(rows.begin() + row, rows.begin() + row + count), chosen;
        // The token after a row does not depend on the rows behind it.
        const uint32_t wrongFrom = round % 2 == 0 ? count : 1 + below(random_, count);
        for (uint32_t i = wrongFrom; i < count; ++i) batch[i] = (batch[i] + 1) % model_->spec().vocabulary;
        must(forward->choose(*several, batch, chosen, {}));
        ASSERT_GE(chosen.size(), 1u);
        ASSERT_EQ(several->length(), promptRows + row + chosen.size());
        const auto right = std::min<uint32_t>(wrongFrom, static_cast<uint32_t>(chosen.size()));
        for (uint32_t i = 0; i < right; ++i)
          EXPECT_EQ(chosen[i], next[row + i])
              << kernels::flavourName(flavour) << ", row " << row + i << " after " << promptRows;
        row += right;
        several->truncate(promptRows + row);
      }
      EXPECT_EQ(must(several->read()), content) << kernels::flavourName(flavour) << " after " << promptRows;
    }
  }
}

TEST_F(DevicePhaseTest, ACacheThatGrowsEqualsOneThatNeedNot) {
  load(shapes[0], flavours().front());
  const PhasePlan plan = preset("orthros", {.window = 20, .sinks = 2, .tail = 5, .fullMax = 0});
  const auto rows = tokens(3 * model::KvCache::pageRows + 10);
  const auto phases = phasesOf(promptSpans(plan, static_cast<uint32_t>(rows.size())).spans());
  const auto forward = forwardFor(plan);
  const auto growing = newCache();
  const auto roomy = newCache();
  must(roomy->reserve(static_cast<uint32_t>(rows.size())));
  EXPECT_EQ(growing->capacity(), 0u);
  EXPECT_EQ(runRows(*forward, *growing, rows, phases, 100), runRows(*forward, *roomy, rows, phases, 100));
  EXPECT_EQ(must(growing->read()), must(roomy->read()));
  EXPECT_GE(growing->capacity(), rows.size());
}

TEST_F(DevicePhaseTest, AOneRowBatchKeepsItsPhaseAndABatchOfDecodeRowsReadsEverything) {
  for (const kernels::Flavour flavour : flavours()) {
    load(shapes[0], flavour);
    const PhasePlan plan = preset("orthros", {.window = 8, .sinks = 1, .tail = 1, .fullMax = 0});
    const auto rows = tokens(60);
    std::vector<Phase> phases(60, Phase::prefill);
    const auto forward = forwardFor(plan);
    const auto compare = [&](uint32_t lastBatch, const char* what) {
      const auto exact = must(exact_->logits({rows, phases, lastBatch}, plan));
      const auto cache = newCache();
      const size_t before = rows.size() - lastBatch;
      runRows(*forward, *cache, std::span(rows).first(before), std::span(phases).first(before), 100);
      const Logits logits = runBatch(*forward, *cache, std::span(rows).last(lastBatch),
                                     std::span(phases).last(lastBatch), lastBatch);
      for (size_t i = 0; i < logits.size(); ++i)
        ASSERT_NEAR(logits[i], exact[i], allowedError(flavour)) << what;
    };
    compare(1, "one window row");
    std::fill(phases.end() - 6, phases.end(), Phase::decode);
    compare(6, "six answer rows at once");
    std::fill(phases.end() - 20, phases.end(), Phase::decode);
    compare(20, "twenty answer rows at once");
  }
}

}  // namespace
}  // namespace orthros::test
