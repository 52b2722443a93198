#version 450
// Tells how a device lays out matrices: row * 16 + column of each element that an invocation holds, of a sum and of a
// left factor. Read by engine/kernels/fragment_layout.cpp.
// Dispatch  (1)
#extension GL_GOOGLE_include_directive : require
#include "cooperative.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) writeonly buffer Places { float places[]; };  // [sum, left][invocation][8]; -1: no such element
shared float numbers[256];
shared float16_t halves[256];

void main() {
  const int thread = int(gl_LocalInvocationID.x), lane = int(gl_SubgroupInvocationID);
  for (int i = thread; i < 256; i += 32) {
    numbers[i] = float(i);
    halves[i] = float16_t(i);
  }
  barrier();
  SUM sum;
  LEFT left;
  coopMatLoad(sum, numbers, 0, FRAGMENT, ROW_MAJOR);
  coopMatLoad(left, halves, 0, FRAGMENT, ROW_MAJOR);
  for (int i = 0; i < 8; i++) {
    places[lane * 8 + i] = i < sum.length() ? sum[i] : -1.0;
    places[256 + lane * 8 + i] = i < left.length() ? float(left[i]) : -1.0;
  }
}
