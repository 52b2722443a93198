// Embedding look-up, RMS norm, RoPE with the cache write: against the reference.
#include <cstring>

#include "engine/gguf/block_format.hpp"
#include "engine/kernels/argmax.hpp"
#include "engine/kernels/embed.hpp"
#include "engine/kernels/memory_sweep.hpp"
#include "engine/kernels/projection.hpp"
#include "engine/kernels/rms_norm.hpp"
#include "engine/kernels/rope.hpp"
#include "engine/reference/operations.hpp"
#include "tests/kernels/cache_rows.hpp"
#include "tests/kernels/kernel_fixture.hpp"

namespace orthros::kernels::test {
namespace {

TEST_F(KernelTest, EmbedExpandsTheRowsOfEveryFormat) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const DeviceFormat format : allDeviceFormats)
      for (const uint32_t width : {32u, 45u, 200u, 224u}) {
        if (format == DeviceFormat::q4 && width % SCALE_GROUP != 0)
          continue;  // 4-bit files have whole groups
        const uint32_t vocabulary = 77;
        std::vector<float> stored;
        EmbedJob job;
        job.embedding = matrix(format, gaussian(size_t{vocabulary} * width), vocabulary, width, stored);
        // The last one is no token: it must not be read from beyond the matrix.
        const std::vector<uint32_t> tokens = {0, 76, 31, 32, 5, 5, 64, ~0u};
        const auto count = static_cast<uint32_t>(tokens.size());
        job.tokens = bufferOf(tokens).get();
        job.firstRow = width == 45 ? 3 : 0;
        job.rows = count - job.firstRow;
        job.y = scratchActivations(count, job.embedding.inner);
        must(Embed(TestDevice::get().library(flavour)).record(queue(), job));
        must(queue().finish());
        const auto actual = floatsOf(*job.y.buffer, size_t{count} * job.y.stride);
        for (uint32_t row = job.firstRow; row < count; ++row)
          for (uint32_t i = 0; i < job.y.stride; ++i) {
            const uint32_t token = std::min(tokens[row], vocabulary - 1);
            const float want = i < width ? stored[size_t{token} * width + i] : 0.f;
            ASSERT_NEAR(actual[size_t{row} * job.y.stride + i], want, 1e-6)
                << deviceFormatName(format) << " row " << row;
          }
      }
}

// The tokens of `rows` rows of `count` logits each.
class ArgmaxTest : public KernelTest {
 protected:
  std::vector<uint32_t> chosen(const std::vector<float>& logits, uint32_t rows = 1) {
    ArgmaxJob job;
    job.rows = rows;
    job.count = static_cast<uint32_t>(logits.size()) / rows;
    job.logits = activations(logits, job.count, (job.count + 31) / 32 * 32);
    job.scratch = scratch(Argmax::scratchBytes / 4).get();
    job.arrivals = arrivals_.get();
    job.tokens = tokens_.get();
    job.target = 2;
    must(argmax_.record(queue(), job));
    must(queue().finish());
    std::vector<uint32_t> values(tokenCount);
    must(
        vulkan::Transfer(tokens_->device()).download(*tokens_, 0, std::as_writable_bytes(std::span(values))));
    for (uint32_t i = 0; i < tokenCount; ++i)
      if (i < 2 || i >= 2 + rows) {
        EXPECT_EQ(values[i], 7u) << "another place was written: " << i;
      }
    return {values.begin() + 2, values.begin() + 2 + rows};
  }

  static constexpr uint32_t tokenCount = 11;
  Argmax argmax_{TestDevice::get().library(TestDevice::get().flavours().front())};
  std::shared_ptr<vulkan::Buffer> tokens_ = bufferOf(std::vector<uint32_t>(tokenCount, 7));
  std::shared_ptr<vulkan::Buffer> arrivals_ = bufferOf(std::vector<uint32_t>(Argmax::maxRows, 0));
};

TEST_F(ArgmaxTest, TakesTheFirstOfTheLargestFiniteLogits) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const uint32_t count : {1u, 5u, 1023u, 49152u, 131077u, 200000u}) {
    // Padding is zero and larger than every logit.
    auto logits = gaussian(count);
    for (float& logit : logits) logit = -1.f - std::abs(logit);
    EXPECT_EQ(chosen(logits)[0], std::max_element(logits.begin(), logits.end()) - logits.begin()) << count;
    for (const uint32_t at : {count - 1, count / 2, count / 3}) logits[at] = -0.5f;
    EXPECT_EQ(chosen(logits)[0], count / 3) << count;
    if (count < 100) continue;
    logits[0] = nan;
    logits[1] = infinity;
    logits[2] = -infinity;
    EXPECT_EQ(chosen(logits)[0], count / 3) << count;
  }
  EXPECT_EQ(chosen(std::vector<float>(3000, nan))[0], Argmax::none);
}

TEST_F(ArgmaxTest, RowsAreChosenOnTheirOwn) {
  for (const uint32_t rows : {2u, 5u, Argmax::maxRows})
    for (const uint32_t count : {3u, 1000u, 49155u}) {
      const auto logits = gaussian(size_t{rows} * count);
      const auto tokens = chosen(logits, rows);
      for (uint32_t row = 0; row < rows; ++row) {
        const auto begin = logits.begin() + size_t{row} * count;
        EXPECT_EQ(tokens[row], std::max_element(begin, begin + count) - begin) << row << " of " << count;
      }
    }
}

TEST_F(KernelTest, AMemorySweepReadsOrCopiesEveryTexel) {
  MemorySweep sweep(TestDevice::get().library(TestDevice::get().flavours().front()));
  const auto download = [](vulkan::Buffer& buffer, size_t words) {
    std::vector<uint32_t> values(words);
    must(vulkan::Transfer(buffer.device()).download(buffer, 0, std::as_writable_bytes(std::span(values))));
    return values;
  };
  // Fewer texels than invocations, one more than fit at once, and several rounds.
  constexpr size_t atOnce = size_t{MemorySweep::workgroups} * MemorySweep::threads;
  for (const size_t texels : {size_t{3}, atOnce + 1, 5 * atOnce - 7}) {
    std::vector<uint32_t> words(4 * texels);
    std::mt19937 random(7);
    for (uint32_t& word : words) word = random();
    const auto source = bufferOf(words);
    const auto copy = bufferOf(std::vector<uint32_t>(words.size(), 0));
    const auto mixed = bufferOf(std::vector<uint32_t>(MemorySweep::resultBytes / 4, 1));
    must(sweep.record(queue(), {source.get(), copy.get(), 16 * texels, true}));
    must(sweep.record(queue(), {source.get(), mixed.get(), 16 * texels, false}));
    must(queue().finish());
    EXPECT_EQ(download(*copy, words.size()), words);
    uint32_t expected[4] = {}, found[4] = {};
    for (size_t i = 0; i < words.size(); ++i) expected[i % 4] ^= words[i];
    const auto results = download(*mixed, MemorySweep::resultBytes / 4);
    for (size_t i = 0; i < results.size(); ++i) found[i % 4] ^= results[i];
    EXPECT_TRUE(std::ranges::equal(found, expected)) << texels;
  }
}

TEST_F(KernelTest, RmsNormEqualsReference) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const auto format : {ActivationFormat::f32, ActivationFormat::f16})
      for (const auto& [width, rows] : {std::pair(32u, 1u), {45u, 9u}, {576u, 33u}}) {
        const uint32_t stride = (width + 31) / 32 * 32;
        const auto x = gaussian(size_t{rows} * width, 3.f);
        auto gain = gaussian(width);
        const auto want = reference::rmsNorm(reference::widen(x), gain, 1e-5);
        gain.resize(stride, 0.f);
        RmsNormJob job;
        job.x = activations(x, width, stride);
        job.y = scratchActivations(rows, stride).as(format);
        job.rows = rows;
        job.gain = {bufferOf(gain).get(), 0, stride};
        job.width = width;
        job.epsilon = 1e-5f;
        must(RmsNorm(TestDevice::get().library(flavour)).record(queue(), job));
        must(queue().finish());
        // Devices round to f16 either way.
        const double tolerance = format == ActivationFormat::f16 ? 1e-2 : 2e-5;
        EXPECT_LT(worstDifference(valuesOf(job.y, rows), stride, want, width, 1.0), tolerance);
      }
}

// Rows of Q, K and V with the tables that place them: the same for the dispatch of many rows and the epilogue
// of few.
class QkvTest : public KernelTest, public ::testing::WithParamInterface<KvFormat> {
 protected:
  static constexpr uint32_t heads = 4, kvHeads = 2, headSize = 32, capacity = 64, firstPosition = 11;
  static constexpr uint32_t queryWidth = heads * headSize, joinedWidth = (heads + 2 * kvHeads) * headSize;

  void prepare(uint32_t rows);
  void expectResult(const std::vector<float>& joined, const Activations& q);
  std::vector<float> cacheValues(vulkan::Buffer& buffer) const;
  // In a cache of bytes: half a step of the largest magnitude in a row.
  double tolerance() const {
    return GetParam() == KvFormat::f32 ? 1e-4 : GetParam() == KvFormat::f16 ? 5e-3 : 2.5e-2;
  }

  QkvTarget target_;
  model::RopeSpec rope_;
  std::vector<uint32_t> positions_;
};

void QkvTest::prepare(uint32_t rows) {
  rope_.dimensions = headSize;
  positions_.clear();
  std::vector<uint32_t> rowTable(4 * 128, 0);
  std::vector<float> angles;
  const auto frequencies = rope_.frequencies();
  for (uint32_t row = 0; row < rows; ++row) {
    positions_.push_back(firstPosition + row);
    rowTable[row * 4 + 2] = positions_.back() + 1;
    for (const double frequency : frequencies) {
      angles.push_back(static_cast<float>(std::cos(positions_.back() * frequency)));
      angles.push_back(static_cast<float>(std::sin(positions_.back() * frequency)));
    }
  }
  const CacheRows empty(GetParam(), kvHeads, capacity, headSize);
  target_.cache = {bufferOf(empty.bytes()).get(), bufferOf(empty.bytes()).get(), GetParam(), capacity};
  target_.tables = {bufferOf(rowTable).get(), nullptr, bufferOf(angles).get()};
  target_.heads = {heads, kvHeads, headSize, headSize};
}

std::vector<float> QkvTest::cacheValues(vulkan::Buffer& buffer) const {
  std::vector<std::byte> bytes(buffer.bytes());
  must(vulkan::Transfer(buffer.device()).download(buffer, 0, bytes));
  return CacheRows(GetParam(), kvHeads, capacity, headSize, std::move(bytes)).values();
}

void QkvTest::expectResult(const std::vector<float>& joined, const Activations& q) {
  const size_t rows = positions_.size();
  std::vector<double> wantQ, wantK, wantV;
  for (size_t row = 0; row < rows; ++row) {
    const auto first = joined.begin() + static_cast<std::ptrdiff_t>(row * joinedWidth);
    wantQ.insert(wantQ.end(), first, first + queryWidth);
    wantK.insert(wantK.end(), first + queryWidth, first + queryWidth + kvHeads * headSize);
    wantV.insert(wantV.end(), first + queryWidth + kvHeads * headSize, first + joinedWidth);
  }
  reference::rope(wantQ, heads, headSize, positions_, rope_);
  reference::rope(wantK, kvHeads, headSize, positions_, rope_);
  EXPECT_LT(worstDifference(valuesOf(q, static_cast<uint32_t>(rows)), queryWidth, wantQ, queryWidth, 1.0),
            q.format == ActivationFormat::f16 ? 5e-3 : 1e-4);
  const auto keys = cacheValues(*target_.cache.keys), values = cacheValues(*target_.cache.values);
  for (uint32_t head = 0; head < kvHeads; ++head)
    for (uint32_t slot = 0; slot < capacity; ++slot)
      for (uint32_t d = 0; d < headSize; ++d) {
        const size_t at = (size_t{head} * capacity + slot) * headSize + d;
        const bool written = slot >= firstPosition && slot < firstPosition + rows;
        const size_t from = written ? ((slot - firstPosition) * kvHeads + head) * headSize + d : 0;
        ASSERT_NEAR(keys[at], written ? wantK[from] : 0.0, tolerance()) << "slot " << slot;
        ASSERT_NEAR(values[at], written ? wantV[from] : 0.0, tolerance()) << "slot " << slot;
      }
}

TEST_P(QkvTest, RopeDispatchRotatesAndFillsTheCache) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const auto format : {ActivationFormat::f32, ActivationFormat::f16}) {
      const uint32_t rows = 37;
      prepare(rows);
      const auto joined = gaussian(size_t{rows} * joinedWidth);
      RopeJob job;
      job.joined = activations(joined, joinedWidth, joinedWidth);
      job.q = scratchActivations(rows, queryWidth).as(format);
      job.rows = rows;
      job.target = target_;
      must(Rope(TestDevice::get().library(flavour)).record(queue(), job));
      must(queue().finish());
      expectResult(joined, job.q);
    }
}

TEST_P(QkvTest, EpilogueDoesTheSame) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const DeviceFormat format : allDeviceFormats)
      for (const uint32_t rows : {1u, 3u, 8u, 21u, 50u}) {
        const auto library = TestDevice::get().library(flavour);
        Projection projection(library);
        const bool few = rows <= Projection::fewRows;
        if (!projection.fusesQkv(rows, GetParam()) || (!few && GetParam() == KvFormat::f32)) continue;
        prepare(rows);
        const auto rowsFormat = few ? ActivationFormat::f32 : library->manyRowsFormat();
        const uint32_t inner = 64;
        const auto x = asStored(gaussian(size_t{rows} * inner), rowsFormat);
        std::vector<float> stored;
        ProjectionJob job;
        job.operation = "test";
        job.matrix = matrix(format, gaussian(size_t{joinedWidth} * inner, 0.1f), joinedWidth, inner, stored);
        job.epilogue = Epilogue::qkv;
        job.x = activations(x, inner, inner, rowsFormat);
        job.y = scratchActivations(rows, queryWidth).as(rowsFormat);
        job.rows = rows;
        const std::vector<float> ones(inner, 1.f);
        if (few) job.norm = InputNorm{{bufferOf(ones).get(), 0, inner}, inner, 1e-5f};
        job.qkv = target_;
        must(projection.record(queue(), job));
        must(queue().finish());
        auto inputs = reference::widen(x);
        if (few) inputs = reference::rmsNorm(inputs, ones, 1e-5);
        const auto product = reference::matmul(inputs, stored, inner);
        expectResult(std::vector<float>(product.begin(), product.end()), job.y);
      }
}

INSTANTIATE_TEST_SUITE_P(Caches, QkvTest, ::testing::Values(KvFormat::f16, KvFormat::f32, KvFormat::q8),
                         [](const auto& test) { return kvName(test.param); });

}  // namespace
}  // namespace orthros::kernels::test
