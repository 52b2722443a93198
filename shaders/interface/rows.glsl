// Push constants of the operations that work on rows: embedding look-up and RMS norm.
#ifndef ORTHROS_INTERFACE_ROWS
#define ORTHROS_INTERFACE_ROWS
#include "shared.glsl"

INTERFACE_BEGIN
struct EmbedPush {
  uint rows;
  uint inner;  // values per row of the embedding, a multiple of 32
};
struct NormPush {
  uint rows;
  uint xRow;      // first row read
  uint yRow;      // first row written
  uint stride;    // values per row in memory, a multiple of 32
  uint width;     // values that the mean is taken over
  float epsilon;
};
INTERFACE_END
#endif
