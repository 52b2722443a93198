// Reading keys and values from the cache, a texel of KV_TEXEL_VALUES values of a head at a time. Binding 1 keys, binding 2
// values: [kv head][capacity][headSize], f16, or (KV_F32) f32, or (KV_Q8) bytes, 128 above the value, which the factors
// that follow them multiply: [kv head][capacity] f32.
#ifdef KV_F32
layout(binding = 1) uniform samplerBuffer keys;
layout(binding = 2) uniform samplerBuffer values;
#define KV_TEXEL_VALUES 4
#define KV_TEXEL vec4
float kvValue(vec4 texel, int i) { return texel[i]; }
#else
layout(binding = 1) uniform usamplerBuffer keys;
layout(binding = 2) uniform usamplerBuffer values;
#define KV_TEXEL uvec4
#ifdef KV_Q8
#define KV_TEXEL_VALUES 16
#include "biased_byte.glsl"
float kvValue(uvec4 texel, int i) { return biasedByte(texel[i / 4] >> (8 * (i % 4))); }
#else
#define KV_TEXEL_VALUES 8
float kvValue(uvec4 texel, int i) { return unpackHalf2x16(texel[i / 2])[i % 2]; }
#endif
#endif

// What the values of a row of the cache, kv head * capacity + key, have to be multiplied by.
#ifdef KV_Q8
int factorTexel(int row, int headSize) {
  return int(p.heads / p.group) * int(p.capacity) * (headSize / KV_TEXEL_VALUES) + row / 4;
}
float keyFactor(int row, int headSize) {
  return uintBitsToFloat(texelFetch(keys, factorTexel(row, headSize))[row % 4]);
}
float valueFactor(int row, int headSize) {
  return uintBitsToFloat(texelFetch(values, factorTexel(row, headSize))[row % 4]);
}
#else
float keyFactor(int row, int headSize) { return 1.0; }
float valueFactor(int row, int headSize) { return 1.0; }
#endif
