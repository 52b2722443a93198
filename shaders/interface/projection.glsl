// Push constants of the matrix products (matmul and matvec), and what happens to a product before it is stored.
#ifndef ORTHROS_INTERFACE_PROJECTION
#define ORTHROS_INTERFACE_PROJECTION
#include "shared.glsl"

#define EPILOGUE_STORE 0     // y = product
#define EPILOGUE_RESIDUAL 1  // y += product
#define EPILOGUE_SWIGLU 2    // columns come as (gate, gate, up, up); y[column / 2] = silu(gate) * up
#define EPILOGUE_QKV 3       // rotate Q and K, store Q in y, K and V in the cache

#define MAX_KV_HEADS 256  // of a cache of bytes, see rope_q8.comp

INTERFACE_BEGIN
struct ProjectionPush {
  uint rows;       // valid rows
  uint columns;    // N, a multiple of 32
  uint inner;      // K, a multiple of 32
  uint xRow;       // first row read in x
  uint yRow;       // first row written in y
  uint width;      // values per row that the norm averages over (matvec only)
  float epsilon;   // of the norm (matvec only)
  uint heads;      // the rest: EPILOGUE_QKV only
  uint kvHeads;
  uint headSize;   // values per head in Q, K and V, a multiple of 8
  uint capacity;   // keys per head in the cache
  uint intervals;  // first entry of this layer's attention class in the row table
};
INTERFACE_END
#endif
