// Where a joined row of Q, K and V goes: Q and K are rotated, Q is stored for attention, K and V in the cache. Needs
// ProjectionPush p and the image y; declares bindings 4 to 7.
#ifdef KV_F32
layout(binding = 4, rgba32f) uniform writeonly imageBuffer cacheK;  // [kv head][capacity][headSize]
layout(binding = 5, rgba32f) uniform writeonly imageBuffer cacheV;
#define TO_CACHE(v) (v)
#else
layout(binding = 4, rg32ui) uniform writeonly uimageBuffer cacheK;
layout(binding = 5, rg32ui) uniform writeonly uimageBuffer cacheV;
#define TO_CACHE(v) uvec4(packHalf2x16((v).xy), packHalf2x16((v).zw), 0, 0)
#endif
layout(binding = 6) uniform usamplerBuffer rowTable;  // see interface/attention.glsl
layout(binding = 7) uniform samplerBuffer angles;     // [row][headSize / 4] (cos, sin, cos, sin) of two pairs

#include "rotation.glsl"

// `row` counts from the dispatch's first row; `column` is the first of four neighbouring columns of the joined row.
void storeQkv(int row, int column, vec4 product) {
  const int size = int(p.headSize), head = column / size, d = column % size;
  const int queries = int(p.heads), keys = queries + int(p.kvHeads), all = keys + int(p.kvHeads);
  const vec4 rotated = rotate(product, texelFetch(angles, ((int(p.xRow) + row) * size + d) / 4));
  const int slot = int(texelFetch(rowTable, int(p.intervals + p.xRow) + row).z) - 1;
  if (head < queries) {
    imageStore(y, ((int(p.yRow) + row) * queries * size + column) / 4, rotated);
  } else if (head < keys) {
    imageStore(cacheK, (((head - queries) * int(p.capacity) + slot) * size + d) / 4, TO_CACHE(rotated));
  } else if (head < all) {
    imageStore(cacheV, (((head - keys) * int(p.capacity) + slot) * size + d) / 4, TO_CACHE(product));
  }
}
