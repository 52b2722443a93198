// Where a joined row of Q, K and V goes on GPUs, as in qkv_store.glsl but through storage buffers. Needs ProjectionPush p
// and storeQuery(at, value), which stores four values of Q; declares bindings 4 to 7.
layout(binding = 4) writeonly buffer CacheK { uvec2 cacheK[]; };  // [kv head][capacity][headSize] f16
layout(binding = 5) writeonly buffer CacheV { uvec2 cacheV[]; };
layout(binding = 6) readonly buffer RowTable { uvec4 rowTable[]; };  // see interface/attention.glsl
layout(binding = 7) readonly buffer Angles { vec4 angles[]; };       // [row][headSize / 4] (cos, sin, cos, sin)

// The row's place in the cache, and the angles of four columns: known before the product is.
struct QkvPlace {
  int slot;
  vec4 angles;
};
QkvPlace qkvPlace(int row, int column) {
  const int size = int(p.headSize), tableRow = int(p.xRow) + row;
  return QkvPlace(int(rowTable[int(p.intervals) + tableRow].z) - 1, angles[(tableRow * size + column % size) / 4]);
}

#include "rotation.glsl"
uvec2 halves(vec4 v) { return uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw)); }

// `row` counts from the dispatch's first row; `column` is the first of four neighbouring columns of the joined row.
void storeQkv(int row, int column, vec4 product, QkvPlace place) {
  const int size = int(p.headSize), head = column / size, d = column % size;
  const int queries = int(p.heads), keys = queries + int(p.kvHeads), all = keys + int(p.kvHeads);
  if (head < queries) {
    storeQuery(((int(p.yRow) + row) * queries * size + column) / 4, rotate(product, place.angles));
  } else if (head < keys) {
    cacheK[(((head - queries) * int(p.capacity) + place.slot) * size + d) / 4] = halves(rotate(product, place.angles));
  } else if (head < all) {
    cacheV[(((head - keys) * int(p.capacity) + place.slot) * size + d) / 4] = halves(product);
  }
}
