// The tile sizes of matmul_coop.comp, and which one suits a product: what counts is how many rounds of
// workgroups a device needs and how full the last one is.
#pragma once

#include <cstdint>
#include <span>

namespace orthros::kernels {

struct MatrixTile {
  const char* shader;  // "matmul_coop" with the tile's suffix
  uint32_t rows;
  uint32_t columns;
  // Time of a round of workgroups, one per processor, against that of the first tile. Measured on an H200
  // with 4,096 rows of 576 to 1,536 inputs; several workgroups of the small tile share a processor.
  double roundCost;
};

std::span<const MatrixTile> matrixTiles();
// The tile that should take the least time. `processors` 0: unknown.
const MatrixTile& chooseMatrixTile(uint32_t rows, uint32_t columns, uint32_t processors);

}  // namespace orthros::kernels
