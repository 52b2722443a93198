#version 450
// Joins the partial results of split attention.
//
// Input     partial[row][head][part][headSize / 4 + 1] vec4: an unnormalised output, then (maximum, sum, -, -)
// Output    y[row][head][headSize]
// Dispatch  (heads, rows); 8 invocations share the values of a head
#extension GL_GOOGLE_include_directive : require
#include "interface/attention.glsl"
#include "output_texel.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { MergePush p; };
layout(binding = 0) uniform samplerBuffer partial;
layout(binding = 1, Y_TEXEL) uniform writeonly imageBuffer y;

void main() {
  const int head = int(gl_WorkGroupID.x), row = int(gl_WorkGroupID.y), texels = int(p.headSize) / 4;
  const int base = (row * int(p.heads) + head) * int(p.parts) * (texels + 1);
  float top = -1e30;
  for (int i = 0; i < int(p.parts); i++) top = max(top, texelFetch(partial, base + i * (texels + 1) + texels).x);
  for (int d = int(gl_LocalInvocationID.x); d < texels; d += 8) {
    vec4 output_ = vec4(0);
    float sum = 0;
    for (int i = 0; i < int(p.parts); i++) {
      const vec2 part = texelFetch(partial, base + i * (texels + 1) + texels).xy;
      const float alpha = exp2(part.x - top);
      sum += part.y * alpha;
      output_ += texelFetch(partial, base + i * (texels + 1) + d) * alpha;
    }
    imageStore(y, ((int(p.row) + row) * int(p.heads) + head) * texels + d, output_ / max(sum, 1e-37));
  }
}
