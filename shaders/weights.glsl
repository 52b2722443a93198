// Reading weights of any device format from texel buffers. Needs FORMAT; declares binding 1 (weights) and 2 (scales).
// EXPAND_CHUNKS adds expandChunk.
#include "interface/layout.glsl"

#if FORMAT == FORMAT_F32
#define WEIGHT_SAMPLER samplerBuffer
#define WEIGHT_TEXEL vec4
#define CHUNK 4
#else
#define WEIGHT_SAMPLER usamplerBuffer
#define WEIGHT_TEXEL uvec4
#if FORMAT == FORMAT_F16
#define CHUNK 8
#elif FORMAT == FORMAT_Q8
#define CHUNK 16
#else
#define CHUNK 32
#endif
#endif

layout(binding = 1) uniform WEIGHT_SAMPLER w;
#if FORMAT == FORMAT_Q4
layout(binding = 2) uniform usamplerBuffer scales;
#define SCALE_TEXEL uvec4
#elif FORMAT == FORMAT_Q8
layout(binding = 2) uniform samplerBuffer scales;
#define SCALE_TEXEL vec4
#endif

#include "biased_byte.glsl"

#ifdef EXPAND_CHUNKS
// The CHUNK weights of column (lane, block) of a panel at inputs chunk * CHUNK .. of `inner`.
void expandChunk(int panel, int lane, int block, int chunk, int inner, out float a[CHUNK]) {
  const WEIGHT_TEXEL v =
      texelFetch(w, ((panel * (inner / CHUNK) + chunk) * PANEL_BLOCKS + block) * PANEL_LANES + lane);
#if FORMAT == FORMAT_Q8 || FORMAT == FORMAT_Q4
  const int group = chunk * CHUNK / SCALE_GROUP;
  const SCALE_TEXEL all = texelFetch(scales, (panel * (inner / SCALE_GROUP) + group) * PANEL_LANES + lane);
#endif
  [[unroll]] for (int i = 0; i < CHUNK; i++) {
#if FORMAT == FORMAT_F32
    a[i] = v[i];
#elif FORMAT == FORMAT_F16
    a[i] = unpackHalf2x16(v[i / 2])[i % 2];
#elif FORMAT == FORMAT_Q8
    a[i] = biasedByte(v[i / 4] >> (8 * (i % 4))) * all[block];
#else
    const vec2 affine = unpackHalf2x16(all[block]);
    a[i] = float((v[i / 8] >> (4 * (i % 8))) & 15u) * affine.x + affine.y;
#endif
  }
}
#endif
