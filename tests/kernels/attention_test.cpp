// Attention kernels, tiled and split, of every family: random plans, phases, depths and shapes, against the
// literal predicate in double precision.
#include "engine/kernels/attention.hpp"

#include "engine/gguf/block_format.hpp"
#include "engine/model/row_tables.hpp"
#include "engine/phase/presets.hpp"
#include "engine/reference/operations.hpp"
#include "tests/kernels/cache_rows.hpp"
#include "tests/kernels/kernel_fixture.hpp"

namespace orthros::kernels::test {
namespace {

struct Case {
  uint32_t heads, kvHeads, headSize;
};
// Groups of 1, 2, 3, 4 and 8; sizes with CPU shaders (64, 128) and without.
constexpr Case cases[] = {{2, 2, 64}, {4, 2, 64}, {3, 1, 64}, {8, 2, 64}, {8, 1, 128}, {3, 1, 128},
                          {2, 1, 16}, {4, 4, 48}, {6, 2, 80}, {2, 1, 96}, {2, 1, 256}};

class AttentionTest : public KernelTest, public ::testing::WithParamInterface<std::tuple<int, KvFormat>> {
 protected:
  Case shape() const { return cases[std::get<0>(GetParam())]; }
  KvFormat kv() const { return std::get<1>(GetParam()); }

  uint32_t pick(uint32_t low, uint32_t high) { return std::uniform_int_distribution(low, high)(random_); }
  phase::PhasePlan randomPlan();
  std::shared_ptr<vulkan::Buffer> cacheBuffer(std::vector<float>& values, uint32_t keys, uint32_t capacity);
  void check(Flavour flavour, uint32_t depth, uint32_t rows, uint32_t firstRow);
};

phase::PhasePlan AttentionTest::randomPlan() {
  const auto layer = [&]() -> phase::LayerAttention {
    if (pick(0, 3) == 0) return {};
    return {phase::AttentionKind::window, pick(1, 90), pick(0, 2) ? pick(0, 40) : 0};
  };
  phase::PhasePlan plan;
  plan.prefill = {layer()};
  plan.decode = {pick(0, 1) ? phase::LayerAttention{} : layer()};
  return plan;
}

// Rounds `values` [key][kv head][d] to the cache's format and lays them out as [kv head][capacity][d].
std::shared_ptr<vulkan::Buffer> AttentionTest::cacheBuffer(std::vector<float>& values, uint32_t keys,
                                                           uint32_t capacity) {
  const auto [heads, kvHeads, headSize] = shape();
  CacheRows cache(kv(), kvHeads, capacity, headSize);
  for (uint32_t key = 0; key < keys; ++key)
    for (uint32_t head = 0; head < kvHeads; ++head)
      cache.store(head, key, std::span(values).subspan((size_t{key} * kvHeads + head) * headSize, headSize));
  return bufferOf(cache.bytes());
}

void AttentionTest::check(Flavour flavour, uint32_t depth, uint32_t rows, uint32_t firstRow) {
  const auto [heads, kvHeads, headSize] = shape();
  const auto plan = randomPlan();
  std::vector<phase::Phase> phases(rows);
  const uint32_t split = pick(0, rows);  // P rows, then D rows, as a prompt's end has them
  for (uint32_t row = 0; row < rows; ++row)
    phases[row] = row < split ? phase::Phase::prefill : phase::Phase::decode;
  const uint32_t keys = depth + rows, capacity = (keys + 31) / 32 * 32;
  auto k = gaussian(size_t{keys} * kvHeads * headSize), v = gaussian(k.size());
  const auto library = TestDevice::get().library(flavour);
  const auto queryFormat = rows <= Attention::fewRows ? ActivationFormat::f32 : library->manyRowsFormat();
  const auto resultFormat = rows - firstRow <= Attention::fewRows ? ActivationFormat::f32 : queryFormat;
  const auto q = asStored(gaussian(size_t{rows} * heads * headSize), queryFormat);

  Attention attention(library, {heads, kvHeads, headSize, headSize}, kv());
  const model::AttentionClasses classes(plan);
  const auto tables = model::buildRowTables(classes, depth, phases, attention.tileRows(), ROW_PADDING);
  AttentionJob job;
  job.q = activations(q, heads * headSize, heads * headSize, queryFormat);
  job.y = scratchActivations(rows, heads * headSize).as(resultFormat);
  job.firstRow = firstRow;
  job.rows = rows - firstRow;
  job.cache.keys = cacheBuffer(k, keys, capacity).get();
  job.cache.values = cacheBuffer(v, keys, capacity).get();
  job.cache.format = kv();
  job.cache.capacity = capacity;
  job.tables.rows = bufferOf(tables.rows).get();
  job.tables.tiles = bufferOf(tables.tiles).get();
  job.heads = {heads, kvHeads, headSize, headSize};
  job.scale = 1.f / std::sqrt(static_cast<float>(headSize));
  const auto totals = tables.totals(0, firstRow, rows - firstRow);
  job.pairs = totals.pairs;
  job.keysRead = totals.keysRead;
  job.partials = scratch(attention.partialBytes(rows) / 4).get();
  job.arrivals = bufferOf(std::vector<uint32_t>(attention.arrivalBytes() / 4 + 1, 0)).get();
  must(attention.record(queue(), job));
  must(queue().finish());

  const auto want = reference::attention(
      reference::widen(q), reference::widen(k), reference::widen(v), {heads, kvHeads, headSize, job.scale},
      [&](size_t row, size_t key) {
        const auto& rule = plan.attention(0, phases[row]);
        return reference::readsKey(rule, depth + static_cast<uint32_t>(row), static_cast<uint32_t>(key));
      });
  const size_t width = size_t{heads} * headSize;
  const auto all = valuesOf(job.y, rows);
  // Weights and results rounded to f16; a key too many or too few weighs about 1 / 200.
  const double tolerance = resultFormat == ActivationFormat::f16 ? 2.5e-3 : 2e-5;
  EXPECT_LT(worstDifference(std::span(all).subspan(firstRow * width), width,
                            std::span(want).subspan(firstRow * width), width, 1.0),
            tolerance)
      << flavourName(flavour) << " depth " << depth << " rows " << rows << " from " << firstRow << " P rows "
      << split << " window " << plan.prefill[0].window << " sinks " << plan.prefill[0].sinks;
}

TEST_P(AttentionTest, TilesEqualTheLiteralPredicate) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const uint32_t rows : {9u, 16u, 33u, 64u})
      for (const uint32_t depth : {0u, 1u, pick(2, 150)}) check(flavour, depth, rows, 0);
}

TEST_P(AttentionTest, LargeTilesEqualTheLiteralPredicate) {
  const auto flavours = TestDevice::get().flavours();
  if (flavours.front() != Flavour::cooperative) GTEST_SKIP() << "no cooperative matrices on this device";
  for (const uint32_t depth : {0u, pick(1, 150), pick(200, 700)}) check(Flavour::cooperative, depth, 300, 0);
}

TEST_P(AttentionTest, TilesMayBeginAtAnyRow) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const uint32_t first : {21u, 37u}) check(flavour, pick(0, 60), 40, first);
}

TEST_P(AttentionTest, SplitEqualsTheLiteralPredicate) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const uint32_t rows : {1u, 2u, 5u, 8u})
      for (const uint32_t depth : {0u, 7u, pick(8, 40), pick(200, 700)}) check(flavour, depth, rows, 0);
}

TEST_P(AttentionTest, LargeScoresDoNotOverflow) {
  // Scores around 1,000 overflow any exponential that is not taken relative to the maximum.
  const auto [heads, kvHeads, headSize] = shape();
  for (const Flavour flavour : TestDevice::get().flavours()) {
    const auto library = TestDevice::get().library(flavour);
    Attention attention(library, {heads, kvHeads, headSize, headSize}, kv());
    const uint32_t rows = 16;
    const std::vector<phase::Phase> phases(rows, phase::Phase::decode);
    const auto plan = must(phase::preset("vanilla", 1));
    const auto tables =
        model::buildRowTables(model::AttentionClasses(plan), 0, phases, attention.tileRows(), ROW_PADDING);
    std::vector<float> k(size_t{rows} * kvHeads * headSize, 8.f), v = k;
    AttentionJob job;
    job.q = activations(std::vector<float>(size_t{rows} * heads * headSize, 40.f), heads * headSize,
                        heads * headSize, library->manyRowsFormat());
    job.y = scratchActivations(rows, heads * headSize).as(library->manyRowsFormat());
    job.rows = rows;
    job.partials = scratch(attention.partialBytes(rows) / 4).get();
    job.arrivals = bufferOf(std::vector<uint32_t>(attention.arrivalBytes() / 4 + 1, 0)).get();
    job.cache = {cacheBuffer(k, rows, 32).get(), cacheBuffer(v, rows, 32).get(), kv(), 32};
    job.tables = {bufferOf(tables.rows).get(), bufferOf(tables.tiles).get(), nullptr};
    job.heads = {heads, kvHeads, headSize, headSize};
    job.scale = 1.f / std::sqrt(static_cast<float>(headSize));
    job.pairs = tables.totals(0, 0, rows).pairs;
    must(attention.record(queue(), job));
    must(queue().finish());
    for (const float value : valuesOf(job.y, rows)) ASSERT_NEAR(value, 8.f, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionTest,
                         ::testing::Combine(::testing::Range(0, static_cast<int>(std::size(cases))),
                                            ::testing::Values(KvFormat::f16, KvFormat::f32, KvFormat::q8)),
                         [](const auto& test) {
                           const Case& c = cases[std::get<0>(test.param)];
                           return "heads" + std::to_string(c.heads) + "of" + std::to_string(c.kvHeads) +
                                  "size" + std::to_string(c.headSize) + "_" + kvName(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace orthros::kernels::test
