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
#include "qkv_store.glsl"
#endif

// `row` counts from the dispatch's first row; `column` is the first of the four.
void epilogue(int row, int column, vec4 product) {
  if (row < int(p.rows)) {
    const int at = (int(p.yRow) + row) * int(p.columns) + column;
#if EPILOGUE == EPILOGUE_STORE
    imageStore(y, at / 4, product);
#elif EPILOGUE == EPILOGUE_RESIDUAL
    imageStore(y, at / 4, imageLoad(y, at / 4) + product);
#elif EPILOGUE == EPILOGUE_SWIGLU
    const vec2 gate = product.xy;
    imageStore(y, at / 4, vec4(gate / (1.0 + exp(-gate)) * product.zw, 0, 0));
#elif EPILOGUE == EPILOGUE_QKV
    storeQkv(row, column, product);
#endif
  }
}
