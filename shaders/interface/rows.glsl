// Push constants of the operations that work on rows: embedding look-up, RMS norm and the choice of a token.
#ifndef ORTHROS_INTERFACE_ROWS
#define ORTHROS_INTERFACE_ROWS
#include "shared.glsl"

INTERFACE_BEGIN
struct EmbedPush {
  uint row;         // first row read in tokens and written in y
  uint inner;       // values per row of the embedding, a multiple of 32
  uint vocabulary;  // rows of the embedding; a token beyond them gives the last one
};
struct ArgmaxPush {
  uint count;   // logits of a row
  uint stride;  // texels per row in memory
  uint target;  // where the token of the first row is written
};
struct MemorySweepPush {
  uint texels;  // of 16 bytes
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
