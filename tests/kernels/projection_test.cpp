// Matrix products: every format, epilogue and family of variants, ragged shapes, against the reference.
#include "engine/kernels/projection.hpp"

#include "engine/reference/operations.hpp"
#include "tests/kernels/kernel_fixture.hpp"

namespace orthros::kernels::test {
namespace {

struct Shape {
  uint32_t columns, inner;
};
// A whole tile, an odd one, several panels, and more inputs than one panel of scales.
constexpr Shape shapes[] = {{32, 32}, {33, 17}, {100, 96}, {70, 200}};
constexpr uint32_t rowCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 70};

class ProjectionTest : public KernelTest,
                       public ::testing::WithParamInterface<std::tuple<DeviceFormat, Epilogue>> {
 protected:
  DeviceFormat format() const { return std::get<0>(GetParam()); }
  Epilogue epilogue() const { return std::get<1>(GetParam()); }

  // W[columns][inner] as the model has it; for SwiGLU the first half are the gates.
  std::vector<double> expected(const std::vector<float>& x, const std::vector<float>& weights,
                               uint32_t inner) const {
    const auto product = reference::matmul(reference::widen(x), weights, inner);
    if (epilogue() != Epilogue::swiglu) return product;
    const size_t columns = weights.size() / inner, half = columns / 2, rows = x.size() / inner;
    std::vector<double> gate, up;
    for (size_t row = 0; row < rows; ++row) {
      const auto first = product.begin() + static_cast<std::ptrdiff_t>(row * columns);
      gate.insert(gate.end(), first, first + static_cast<std::ptrdiff_t>(half));
      up.insert(up.end(), first + static_cast<std::ptrdiff_t>(half),
                first + static_cast<std::ptrdiff_t>(columns));
    }
    return reference::swiglu(gate, up);
  }

  // Rows of W in the order that EPILOGUE_SWIGLU wants: gate, gate, up, up.
  std::vector<float> interleaved(const std::vector<float>& weights, uint32_t columns, uint32_t inner) const {
    if (epilogue() != Epilogue::swiglu) return weights;
    std::vector<float> out(size_t{roundUp4(columns)} * inner, 0.f);
    for (uint32_t i = 0; i < columns / 2; ++i)
      for (uint32_t k = 0; k < inner; ++k) {
        const size_t target = i / 2 * 4 + i % 2;
        out[target * inner + k] = weights[size_t{i} * inner + k];
        out[(target + 2) * inner + k] = weights[(size_t{i} + columns / 2) * inner + k];
      }
    return out;
  }
  static uint32_t roundUp4(uint32_t columns) { return (columns / 2 + 1) / 2 * 4; }

  void check(Flavour flavour, const Shape& shape, uint32_t rows, uint32_t firstRow,
             const MatrixTile* tile = nullptr);
};

void ProjectionTest::check(Flavour flavour, const Shape& shape, uint32_t rows, uint32_t firstRow,
                           const MatrixTile* tile) {
  const bool swiglu = epilogue() == Epilogue::swiglu;
  const uint32_t columns = swiglu ? shape.columns / 2 * 2 : shape.columns, inner = shape.inner;
  const auto library = TestDevice::get().library(flavour);
  const auto rowsFormat = rows <= Projection::fewRows ? ActivationFormat::f32 : library->manyRowsFormat();
  const auto x = asStored(gaussian(size_t{firstRow + rows} * inner), rowsFormat);
  const auto weights = gaussian(size_t{columns} * inner, 0.2f);
  std::vector<float> stored;
  ProjectionJob job;
  job.operation = "test";
  const auto arranged = interleaved(weights, columns, inner);
  job.matrix = matrix(format(), arranged, static_cast<uint32_t>(arranged.size() / inner), inner, stored);
  job.epilogue = epilogue();
  job.rows = rows;
  job.xRow = job.yRow = firstRow;
  job.x = activations(x, inner, job.matrix.inner, rowsFormat);
  const uint32_t outputs = swiglu ? columns / 2 : columns;
  const uint32_t stride = swiglu ? job.matrix.columns / 2 : job.matrix.columns;
  const auto before = gaussian(size_t{firstRow + rows} * outputs);
  job.y = epilogue() == Epilogue::residual ? activations(before, outputs, stride)
                                           : scratchActivations(firstRow + rows, stride);
  if (swiglu) job.y.format = rowsFormat;

  std::vector<float> used(x.begin() + size_t{firstRow} * inner, x.end());
  if (rows <= Projection::fewRows && epilogue() != Epilogue::residual) {
    auto gain = gaussian(inner, 0.3f);
    const auto normed = reference::rmsNorm(reference::widen(used), gain, 1e-5);
    used.assign(normed.begin(), normed.end());
    gain.resize(job.matrix.inner, 0.f);
    job.norm = InputNorm{{bufferOf(gain).get(), 0, job.matrix.inner}, inner, 1e-5f};
  }
  must(Projection(library, tile).record(queue(), job));
  must(queue().finish());

  // The reference multiplies with what the packed weights stand for, in the model's order.
  std::vector<float> asModel = stored;
  if (swiglu)
    for (uint32_t i = 0; i < columns / 2; ++i)
      for (uint32_t k = 0; k < inner; ++k) {
        const size_t source = i / 2 * 4 + i % 2;
        asModel[size_t{i} * inner + k] = stored[source * inner + k];
        asModel[(size_t{i} + columns / 2) * inner + k] = stored[(source + 2) * inner + k];
      }
  asModel.resize(size_t{columns} * inner);
  auto want = expected(used, asModel, inner);
  if (epilogue() == Epilogue::residual)
    for (size_t i = 0; i < want.size(); ++i) want[i] += before[size_t{firstRow} * outputs + i];
  const auto all = valuesOf(job.y, firstRow + rows);
  const auto actual = std::span(all).subspan(size_t{firstRow} * stride);
  // Rounding of a sum of `inner` products of deviation 0.2, or of its factors to f16: far below this bound; a
  // wrong term is far above.
  const double tolerance = rowsFormat == ActivationFormat::f16 ? (swiglu ? 3e-2 : 6e-3) : 2e-5;
  const double scale = std::sqrt(double(inner)) * 0.2;
  EXPECT_LT(worstDifference(actual, stride, want, outputs, scale), tolerance)
      << flavourName(flavour) << " rows " << rows << " columns " << columns << " inner " << inner;
}

TEST_P(ProjectionTest, EqualsReferenceForRaggedShapes) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const Shape& shape : shapes)
      for (const uint32_t rows : rowCounts) check(flavour, shape, rows, 0);
}

TEST_P(ProjectionTest, EveryTileOfMatricesEqualsReference) {
  const auto flavours = TestDevice::get().flavours();
  if (flavours.front() != Flavour::cooperative) GTEST_SKIP() << "no cooperative matrices on this device";
  for (const MatrixTile& tile : matrixTiles())
    for (const uint32_t rows : {9u, 192u, 3 * 192u - 5})
      check(Flavour::cooperative, {32 * 13, 160}, rows, 0, &tile);
}

TEST_P(ProjectionTest, StartsAtAnyRow) {
  for (const Flavour flavour : TestDevice::get().flavours())
    for (const uint32_t rows : {1u, 5u, 20u}) check(flavour, {64, 64}, rows, 13);
}

TEST(MatrixTile, FillsTheDevice) {
  const auto chosen = [](uint32_t rows, uint32_t columns, uint32_t processors) {
    const MatrixTile& tile = chooseMatrixTile(rows, columns, processors);
    return std::pair(tile.rows, tile.columns);
  };
  EXPECT_EQ(chosen(4096, 576, 132),
            std::pair(192u, 96u));  // one round of 132 workgroups instead of two of 160
  EXPECT_EQ(chosen(4096, 3072, 132), std::pair(128u, 128u));  // many rounds anyway
  EXPECT_EQ(chosen(100, 576, 132), std::pair(64u, 64u));      // less than a round
  EXPECT_EQ(chosen(100, 576, 0), std::pair(64u, 64u));
}

std::string caseName(const ::testing::TestParamInfo<std::tuple<DeviceFormat, Epilogue>>& test) {
  constexpr const char* formats[] = {"f32", "f16", "q8", "q4"};
  constexpr const char* epilogues[] = {"store", "residual", "swiglu", "qkv"};
  const auto [format, epilogue] = test.param;
  return std::string(formats[static_cast<int>(format)]) + "_" + epilogues[static_cast<int>(epilogue)];
}

INSTANTIATE_TEST_SUITE_P(All, ProjectionTest,
                         ::testing::Combine(::testing::ValuesIn(allDeviceFormats),
                                            ::testing::Values(Epilogue::store, Epilogue::residual,
                                                              Epilogue::swiglu)),
                         caseName);

// A dispatch that is estimated to take seconds is cut into slices of workgroups; the result must not notice.
TEST_F(KernelTest, SlicedDispatchGivesTheSameResult) {
  const auto x = gaussian(300 * 64);
  std::vector<float> stored;
  ProjectionJob job;
  job.operation = "test";
  job.matrix = matrix(DeviceFormat::q8, gaussian(128 * 64), 128, 64, stored);
  job.rows = 300;
  job.x = activations(x, 64, 64);
  job.y = scratchActivations(300, 128);
  Projection projection(TestDevice::get().library(TestDevice::get().flavours().back()));
  job.matrix.logicalInner = 400'000'000;  // only the estimate looks at it
  must(projection.record(queue(), job));
  must(queue().finish());
  EXPECT_GT(queue().takeReport().submits, 3u);
  const auto want = reference::matmul(reference::widen(x), stored, 64);
  EXPECT_LT(worstDifference(floatsOf(*job.y.buffer, 300 * 128), 128, want, 128, 8.0), 2e-5);
}

}  // namespace
}  // namespace orthros::kernels::test
