#version 450
// RMS norm of rows: y = x / sqrt(mean(x^2) + epsilon) * gain.
// Dispatch  (rows): a workgroup per row
#extension GL_GOOGLE_include_directive : require
#include "interface/rows.glsl"
#include "output_texel.glsl"
layout(local_size_x_id = 0) in;  // a power of two
layout(constant_id = 1) const int THREADS = 8;  // the same number
layout(push_constant) uniform Push { NormPush p; };
layout(binding = 0) uniform samplerBuffer x;                   // [row][stride]
layout(binding = 1) uniform samplerBuffer gain;                // [stride], 0 beyond width
layout(binding = 2, Y_TEXEL) uniform writeonly imageBuffer y;  // [row][stride]
shared float sums[THREADS];

void main() {
  const int thread = int(gl_LocalInvocationID.x), row = int(gl_WorkGroupID.x), texels = int(p.stride) / 4;
  const int from = (int(p.xRow) + row) * texels, to = (int(p.yRow) + row) * texels;
  float squares = 0;
  for (int i = thread; i < texels; i += THREADS) {
    const vec4 v = texelFetch(x, from + i);
    squares += dot(v, v);
  }
  sums[thread] = squares;
  for (int half_ = THREADS / 2; half_ > 0; half_ /= 2) {
    barrier();
    if (thread < half_) sums[thread] += sums[thread + half_];
  }
  barrier();
  const float scale = inversesqrt(sums[0] / float(p.width) + p.epsilon);
  for (int i = thread; i < texels; i += THREADS)
    imageStore(y, to + i, texelFetch(x, from + i) * scale * texelFetch(gain, i));
}
