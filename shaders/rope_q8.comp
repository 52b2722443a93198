#version 450
// RoPE and cache write of rows whose keys and values are kept in 8 bits: the rows of a head share a factor each, so a
// whole row must be known before it is stored.
// Dispatch  (rows)
#extension GL_GOOGLE_include_directive : require
#include "interface/projection.glsl"
#include "output_texel.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int THREADS = 8;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer joined;                       // [row][columns]: Q, K and V of a row
layout(binding = 3, Y_TEXEL) uniform writeonly imageBuffer y;           // [row][head][headSize]
layout(binding = 4, r32ui) uniform writeonly uimageBuffer cacheK;       // see kv_cache.glsl
layout(binding = 5, r32ui) uniform writeonly uimageBuffer cacheV;
layout(binding = 6) uniform usamplerBuffer rowTable;                    // see interface/attention.glsl
layout(binding = 7) uniform samplerBuffer angles;                       // [row][headSize / 4] (cos, sin, cos, sin)
#include "rotation.glsl"

shared uint largest[2 * MAX_KV_HEADS];  // bits of the largest magnitude of each head of K and then of V

// Four values from `column` on, rotated where they are Q or K.
vec4 valuesAt(int row, int column) {
  const int size = int(p.headSize), tableRow = int(p.xRow) + row;
  const vec4 v = texelFetch(joined, (tableRow * int(p.columns) + column) / 4);
  if (column >= int(p.heads + p.kvHeads) * size) return v;
  return rotate(v, texelFetch(angles, (tableRow * size + column % size) / 4));
}

void main() {
  const int row = int(gl_WorkGroupID.x), thread = int(gl_LocalInvocationID.x), size = int(p.headSize);
  const int queries = int(p.heads) * size, kvHeads = int(p.kvHeads), end = queries + 2 * kvHeads * size;
  const int slot = int(texelFetch(rowTable, int(p.intervals + p.xRow) + row).z) - 1;
  for (int head = thread; head < 2 * kvHeads; head += THREADS) largest[head] = 0;
  barrier();
  for (int column = thread * 4; column < end; column += 4 * THREADS) {
    const vec4 v = valuesAt(row, column), magnitude = abs(v);
    if (column < queries) {
      imageStore(y, ((int(p.yRow) + row) * queries + column) / 4, v);
    } else {
      // Bits of positive floats are ordered as the floats are.
      atomicMax(largest[(column - queries) / size],
                floatBitsToUint(max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w))));
    }
  }
  barrier();
  const int scales = kvHeads * int(p.capacity) * size / 4;  // where they begin, in words
  for (int column = queries + thread * 4; column < end; column += 4 * THREADS) {
    const int head = (column - queries) / size, d = column % size;
    const float top = uintBitsToFloat(largest[head]);
    const uvec4 bytes = uvec4(ivec4(round(valuesAt(row, column) * (top > 0 ? 127.0 / top : 0.0))) + 128);
    const uvec4 word = uvec4(bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24, 0, 0, 0);
    const int at = head % kvHeads * int(p.capacity) + slot;
    const uvec4 scale = uvec4(floatBitsToUint(top / 127.0), 0, 0, 0);
    if (head < kvHeads) {
      imageStore(cacheK, (at * size + d) / 4, word);
      if (d == 0) imageStore(cacheK, scales + at, scale);
    } else {
      imageStore(cacheV, (at * size + d) / 4, word);
      if (d == 0) imageStore(cacheV, scales + at, scale);
    }
  }
}
