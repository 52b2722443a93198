#version 450
// RMS norm of rows on GPUs: y = x / sqrt(mean(x^2) + epsilon) * gain, a subgroup per row.
// Dispatch  (rows / (THREADS / SUBGROUP) rounded up)
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "interface/rows.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int THREADS = 256;
layout(constant_id = 1) const int SUBGROUP = 32;
layout(push_constant) uniform Push { NormPush p; };
layout(binding = 0) readonly buffer Inputs { vec4 x[]; };   // [row][stride]
layout(binding = 1) readonly buffer Gain { vec4 gain[]; };  // [stride], 0 beyond width
#ifdef Y_F16
layout(binding = 2) writeonly buffer Outputs { uvec2 y[]; };  // [row][stride]
#define TO_Y(v) uvec2(packHalf2x16((v).xy), packHalf2x16((v).zw))
#else
layout(binding = 2) writeonly buffer Outputs { vec4 y[]; };
#define TO_Y(v) (v)
#endif

void main() {
  const int lane = int(gl_SubgroupInvocationID), row = int(gl_WorkGroupID.x) * (THREADS / SUBGROUP) + int(gl_SubgroupID);
  if (row >= int(p.rows)) return;
  const int texels = int(p.stride) / 4, from = (int(p.xRow) + row) * texels, to = (int(p.yRow) + row) * texels;
  float squares = 0;
  for (int i = lane; i < texels; i += SUBGROUP) {
    const vec4 v = x[from + i];
    squares += dot(v, v);
  }
  const float scale = inversesqrt(subgroupAdd(squares) / float(p.width) + p.epsilon);
  for (int i = lane; i < texels; i += SUBGROUP) {
    const vec4 v = x[from + i] * scale * gain[i];
    y[to + i] = TO_Y(v);
  }
}
