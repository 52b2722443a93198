// Eight values of a head in the cache, read from a storage buffer at once: f16, or (KV_Q8) bytes, 128 above the value. The
// factors of bytes follow them in the buffer, [kv head][capacity] f32.
#ifdef KV_Q8
#define KV_EIGHT uvec2
#include "biased_byte.glsl"
vec4 fourOf(uint bytes) {
  return vec4(biasedByte(bytes), biasedByte(bytes >> 8), biasedByte(bytes >> 16), biasedByte(bytes >> 24));
}
vec4 lowFour(uvec2 eight) { return fourOf(eight.x); }
vec4 highFour(uvec2 eight) { return fourOf(eight.y); }
#else
#define KV_EIGHT uvec4
vec4 lowFour(uvec4 eight) { return vec4(unpackHalf2x16(eight.x), unpackHalf2x16(eight.y)); }
vec4 highFour(uvec4 eight) { return vec4(unpackHalf2x16(eight.z), unpackHalf2x16(eight.w)); }
#endif
