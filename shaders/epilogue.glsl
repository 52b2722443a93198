// What happens to four neighbouring columns of a product. Needs EPILOGUE and ProjectionPush p; declares the outputs.
#include "interface/projection.glsl"

#if EPILOGUE == EPILOGUE_SWIGLU
layout(binding = 3, rg32f) uniform writeonly imageBuffer y;
#elif EPILOGUE == EPILOGUE_RESIDUAL
layout(binding = 3, rgba32f) uniform imageBuffer y;
#else
layout(binding = 3, rgba32f) uniform writeonly imageBuffer y;
#endif

#if EPILOGUE == EPILOGUE_QKV
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

// Pairs are neighbours: packing puts other layouts into this order.
vec4 rotate(vec4 v, vec4 a) {
  return vec4(v.x * a.x - v.y * a.y, v.x * a.y + v.y * a.x, v.z * a.z - v.w * a.w, v.z * a.w + v.w * a.z);
}
#endif

// `row` counts from the dispatch's first row; `column` is the first of the four.
void epilogue(int row, int column, vec4 product) {
  if (row >= int(p.rows)) return;
  const int at = (int(p.yRow) + row) * int(p.columns) + column;
#if EPILOGUE == EPILOGUE_STORE
  imageStore(y, at / 4, product);
#elif EPILOGUE == EPILOGUE_RESIDUAL
  imageStore(y, at / 4, imageLoad(y, at / 4) + product);
#elif EPILOGUE == EPILOGUE_SWIGLU
  const vec2 gate = product.xy;
  imageStore(y, at / 4, vec4(gate / (1.0 + exp(-gate)) * product.zw, 0, 0));
#elif EPILOGUE == EPILOGUE_QKV
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
#endif
}
