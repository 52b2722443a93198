#version 450
// RMS norm of rows on GPUs: y = x / sqrt(mean(x^2) + epsilon) * gain, a subgroup of 32 per row.
// Dispatch  (rows / 8 rounded up)
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interface/rows.glsl"
#include "output_texel.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { NormPush p; };
layout(binding = 0) uniform samplerBuffer x;                   // [row][stride]
layout(binding = 1) uniform samplerBuffer gain;                // [stride], 0 beyond width
layout(binding = 2, Y_TEXEL) uniform writeonly imageBuffer y;  // [row][stride]

void main() {
  const int lane = int(gl_SubgroupInvocationID), row = int(gl_WorkGroupID.x) * 8 + int(gl_SubgroupID);
  if (row >= int(p.rows)) return;
  const int texels = int(p.stride) / 4, from = (int(p.xRow) + row) * texels, to = (int(p.yRow) + row) * texels;
  float squares = 0;
  for (int i = lane; i < texels; i += 32) {
    const vec4 v = texelFetch(x, from + i);
    squares += dot(v, v);
  }
  const float scale = inversesqrt(subgroupAdd(squares) / float(p.width) + p.epsilon);
  for (int i = lane; i < texels; i += 32) imageStore(y, to + i, texelFetch(x, from + i) * scale * texelFetch(gain, i));
}
