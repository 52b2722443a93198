#include "engine/cost/shape.hpp"

namespace orthros::cost {

uint64_t layerParameters(const ModelShape& shape) {
  const uint64_t d = shape.width;
  return 2 * d * shape.heads * shape.headSize + 2 * d * shape.kvHeads * shape.headSize +
         3 * d * shape.feedForward;
}

uint64_t flopPerPair(const ModelShape& shape) {
  return uint64_t{4} * shape.heads * shape.headSize;
}

double equivalentKeys(const ModelShape& shape) {
  const uint64_t perPair = flopPerPair(shape);
  return perPair == 0 ? 0.0
                      : 2.0 * static_cast<double>(layerParameters(shape)) / static_cast<double>(perPair);
}

uint64_t kvRowBytes(const ModelShape& shape) {
  return uint64_t{2} * shape.kvHeads *
         (uint64_t{shape.headSize} * shape.kvBytesPerElement + shape.kvFactorBytes);
}

uint64_t kvBytesPerToken(const ModelShape& shape) {
  return shape.layers * kvRowBytes(shape);
}

}  // namespace orthros::cost
