// Reading keys and values from the cache, eight values of a head at a time. Binding 1 keys, binding 2 values:
// [kv head][capacity][headSize], f16 or (KV_F32) f32.
#ifdef KV_F32
layout(binding = 1) uniform samplerBuffer keys;
layout(binding = 2) uniform samplerBuffer values;
#define KV_TEXEL_VALUES 4
#define KV_TEXEL vec4
float kvValue(vec4 texel, int i) { return texel[i]; }
#else
layout(binding = 1) uniform usamplerBuffer keys;
layout(binding = 2) uniform usamplerBuffer values;
#define KV_TEXEL_VALUES 8
#define KV_TEXEL uvec4
float kvValue(uvec4 texel, int i) { return unpackHalf2x16(texel[i / 2])[i % 2]; }
#endif
