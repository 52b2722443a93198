// Push constants and tables of the attention kernels.
//
// Row table, one uvec4 per row and attention class: (sinkEnd, windowBegin, end, 0). The row reads the keys
// [0, sinkEnd) and [windowBegin, end); its own position is end - 1; a padding row has end 0.
// Tile table, one uvec4 per tile of rows and attention class: the union of the tile's rows, the same fields.
// Both are written by engine/phase.
#ifndef ORTHROS_INTERFACE_ATTENTION
#define ORTHROS_INTERFACE_ATTENTION
#include "shared.glsl"

INTERFACE_BEGIN
struct AttentionPush {
  uint row;        // first row of the dispatch in q and y
  uint heads;      // query heads
  uint group;      // query heads per KV head
  uint capacity;   // keys per KV head in the cache
  uint intervals;  // first entry of this layer's class in the row table
  uint tiles;      // first entry of this layer's class in the tile table
  float scale;     // log2(e) times the factor on Q.K: weights are computed with exp2
  uint splits;     // parts of the key range (split attention only)
};
struct MergePush {
  uint row;       // first row written in y
  uint heads;
  uint headSize;
  uint parts;     // partial results per row and head
};
INTERFACE_END
#endif
