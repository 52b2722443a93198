#version 450
// Joins the partial results of split attention on GPUs, where many parts wait for one row. Input and output as in
// attention_merge.comp.
// Dispatch  (heads, rows); the invocations share the values of a head and its parts, MAX_PARTS at most
#extension GL_GOOGLE_include_directive : require
#include "interface/attention.glsl"
#include "output_texel.glsl"
const int THREADS = 256, MAX_PARTS = 256;
layout(local_size_x = THREADS) in;
layout(push_constant) uniform Push { MergePush p; };
layout(binding = 0) uniform samplerBuffer partial;
layout(binding = 1, Y_TEXEL) uniform writeonly imageBuffer y;
shared float scratch[THREADS];
shared float weights[MAX_PARTS];
shared vec4 sums[THREADS];

float reduced(float value, bool largest) {
  const int thread = int(gl_LocalInvocationID.x);
  barrier();
  scratch[thread] = value;
  for (int half_ = THREADS / 2; half_ > 0; half_ /= 2) {
    barrier();
    if (thread < half_) {
      const float other = scratch[thread + half_];
      scratch[thread] = largest ? max(scratch[thread], other) : scratch[thread] + other;
    }
  }
  barrier();
  return scratch[0];
}

void main() {
  const int head = int(gl_WorkGroupID.x), row = int(gl_WorkGroupID.y), texels = int(p.headSize) / 4;
  const int thread = int(gl_LocalInvocationID.x), parts = int(p.parts);
  const int base = (row * int(p.heads) + head) * parts * (texels + 1);
  // (maximum, sum) of the invocation's part.
  const vec2 state = thread < parts ? texelFetch(partial, base + thread * (texels + 1) + texels).xy : vec2(-1e30, 0);
  const float weight = exp2(state.x - reduced(state.x, true));
  weights[thread] = weight;
  const float total = reduced(state.y * weight, false);
  // THREADS / texels invocations per texel, each with every so many-th part.
  const int texel = thread % texels, first = thread / texels, shares = THREADS / texels;
  vec4 output_ = vec4(0);
  if (first < shares)
    for (int i = first; i < parts; i += shares) output_ += texelFetch(partial, base + i * (texels + 1) + texel) * weights[i];
  sums[thread] = output_;
  barrier();
  if (thread >= texels) return;
  for (int share = 1; share < shares; share++) output_ += sums[share * texels + thread];
  imageStore(y, ((int(p.row) + row) * int(p.heads) + head) * texels + thread, output_ / max(total, 1e-37));
}
