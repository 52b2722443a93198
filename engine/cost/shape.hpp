// The shape of a model as the cost model sees it, and the quantities derived from it.
//
// Symbols of the cost model: L layers, d width, Hq and Hkv heads, h head size, f feed-forward width, V
// vocabulary, b bytes per cached element, s bytes beside a head's cached row, M parameters of a layer, c FLOP
// per (query, key) pair, A = 2M / c equivalent keys.
#pragma once

#include <cstdint>

namespace orthros::cost {

struct ModelShape {
  uint32_t layers = 0;
  uint32_t width = 0;
  uint32_t heads = 0;
  uint32_t kvHeads = 0;
  uint32_t headSize = 0;
  uint32_t feedForward = 0;
  uint32_t vocabulary = 0;
  uint64_t weightBytes = 0;        // on the device, all of them
  uint32_t kvBytesPerElement = 2;  // b
  uint32_t kvFactorBytes = 0;      // s, of a factor that a head's row of K or V shares
};

// M = 2 d Hq h + 2 d Hkv h + 3 d f
uint64_t layerParameters(const ModelShape& shape);
// c = 4 Hq h
uint64_t flopPerPair(const ModelShape& shape);
// A = 2M / c: as many keys cost as much attention as one row costs in products with weights. Not less than 0.
double equivalentKeys(const ModelShape& shape);
// Bytes of one row of K and V in one layer: 2 Hkv (h b + s)
uint64_t kvRowBytes(const ModelShape& shape);
// Bytes of K and V per token: 2 L Hkv (h b + s)
uint64_t kvBytesPerToken(const ModelShape& shape);

}  // namespace orthros::cost
