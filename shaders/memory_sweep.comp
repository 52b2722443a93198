#version 450
// Reads a buffer once from end to end, and with COPY writes it to another one: nothing but memory traffic, to measure it.
// Mapping   an invocation takes every so many-th texel, UNROLL of them at a time, so that many reads are on their way.
// Dispatch  (workgroups)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/rows.glsl"
const int THREADS = 256, UNROLL = 4;
layout(local_size_x = THREADS) in;
layout(push_constant) uniform Push { MemorySweepPush p; };
layout(binding = 0) readonly buffer Source { uvec4 source[]; };
layout(binding = 1) buffer Target { uvec4 target[]; };

void main() {
  const uint stride = gl_NumWorkGroups.x * THREADS;
  uvec4 mixed = uvec4(0);
  for (uint first = gl_GlobalInvocationID.x; first < p.texels; first += UNROLL * stride) {
    uvec4 v[UNROLL];
    [[unroll]] for (int u = 0; u < UNROLL; u++) v[u] = source[min(first + u * stride, p.texels - 1)];
    [[unroll]] for (int u = 0; u < UNROLL; u++) {
#ifdef COPY
      if (first + u * stride < p.texels) target[first + u * stride] = v[u];
#else
      if (first + u * stride < p.texels) mixed ^= v[u];
#endif
    }
  }
#ifndef COPY
  // Kept, so that the reads are not left out; the host reads it as a check.
  target[gl_GlobalInvocationID.x] = mixed;
#endif
}
