#include "engine/kernels/matrix_tiles.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"

namespace orthros::kernels {
namespace {

constexpr MatrixTile tiles[] = {{"matmul_coop_128x128", 128, 128, 1.0},
                                {"matmul_coop_192x96", 192, 96, 1.06},
                                {"matmul_coop_64x64", 64, 64, 0.28}};
constexpr uint32_t assumedProcessors = 48;

double costOf(const MatrixTile& tile, uint32_t rows, uint32_t columns, uint32_t processors) {
  const uint32_t workgroups = divideRoundingUp(rows, tile.rows) * divideRoundingUp(columns, tile.columns);
  return tile.roundCost * divideRoundingUp(workgroups, processors);
}

}  // namespace

std::span<const MatrixTile> matrixTiles() {
  return tiles;
}

const MatrixTile& chooseMatrixTile(uint32_t rows, uint32_t columns, uint32_t processors) {
  if (processors == 0) processors = assumedProcessors;
  return *std::min_element(std::begin(tiles), std::end(tiles), [&](const MatrixTile& a, const MatrixTile& b) {
    return costOf(a, rows, columns, processors) < costOf(b, rows, columns, processors);
  });
}

}  // namespace orthros::kernels
