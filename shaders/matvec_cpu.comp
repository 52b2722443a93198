#version 450
// Matrix product of few rows for CPU-type devices with subgroups of 8; weights are read once for all ROWS rows.
//
// Mapping   one subgroup per workgroup and panel of 32 columns: lane = four neighbouring columns. A fetch of x gives
//           lane l the values k + 4 l .. + 3 and subgroupShuffle hands them out; no sum over lanes at the end.
//           With NORM the RMS norm of x is part of the read: every workgroup sums the squares again (K values
//           against 32 K weights), which saves a dispatch.
// Dispatch  (columns / 32)
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/projection.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer x;  // [row][inner]
#include "weights.glsl"
#include "epilogue.glsl"
#ifdef NORM
layout(binding = 8) uniform samplerBuffer gain;  // [inner], 0 beyond width
#endif

void main() {
  const int lane = int(gl_LocalInvocationID.x);
  const int K = int(p.inner), panel = int(gl_WorkGroupID.x);
  uint from[8];
  [[unroll]] for (int j = 0; j < 8; j++) from[j] = (p.columns >> 31) + j;  // see matmul_cpu.comp
  int xBase[ROWS];
  [[unroll]] for (int m = 0; m < ROWS; m++) xBase[m] = (int(p.xRow) + m) * (K / 4) + lane;
#ifdef NORM
  float squares[ROWS], norm[ROWS];
  [[unroll]] for (int m = 0; m < ROWS; m++) squares[m] = 0;
  for (int k = 0; k < K; k += 32)
    [[unroll]] for (int m = 0; m < ROWS; m++) {
      const vec4 v = texelFetch(x, xBase[m] + k / 4);
      squares[m] += dot(v, v);
    }
  [[unroll]] for (int m = 0; m < ROWS; m++)
    norm[m] = inversesqrt(subgroupAdd(squares[m]) / float(p.width) + p.epsilon);
#endif
  float acc[ROWS][PANEL_BLOCKS];
  [[unroll]] for (int m = 0; m < ROWS; m++)
    [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) acc[m][n] = 0;
  const int wBase = panel * PANEL_COLUMNS * (K / CHUNK) + lane, sBase = panel * (K / SCALE_GROUP) * 8 + lane;
  for (int k = 0; k < K; k += 32) {
    float part[ROWS][PANEL_BLOCKS], sum[ROWS];
    [[unroll]] for (int m = 0; m < ROWS; m++) {
      sum[m] = 0;
      [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) part[m][n] = 0;
    }
    vec4 xv[ROWS];  // lane l holds x[k + 4 l .. + 3]
#ifdef NORM
    const vec4 g = texelFetch(gain, k / 4 + lane);
    [[unroll]] for (int m = 0; m < ROWS; m++) xv[m] = texelFetch(x, xBase[m] + k / 4) * g * norm[m];
#else
    [[unroll]] for (int m = 0; m < ROWS; m++) xv[m] = texelFetch(x, xBase[m] + k / 4);
#endif
#if FORMAT == FORMAT_Q8 || FORMAT == FORMAT_Q4
    const SCALE_TEXEL scale = texelFetch(scales, sBase + (k / SCALE_GROUP) * 8);
#endif
    [[unroll]] for (int c = 0; c < 32 / CHUNK; c++) {
      WEIGHT_TEXEL v[PANEL_BLOCKS];
      [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) v[n] = texelFetch(w, wBase + (k / CHUNK + c) * 32 + n * 8);
      [[unroll]] for (int i = 0; i < CHUNK; i++) {
        const int at = c * CHUNK + i;
        float s[ROWS];
        [[unroll]] for (int m = 0; m < ROWS; m++) {
          s[m] = subgroupShuffle(xv[m][at % 4], from[at / 4]);
          if (FORMAT == FORMAT_Q4) sum[m] += s[m];
        }
        [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) {
#if FORMAT == FORMAT_F32
          const float a = v[n][i];
#elif FORMAT == FORMAT_F16
          const float a = unpackHalf2x16(v[n][i / 2])[i % 2];
#elif FORMAT == FORMAT_Q8
          const float a = biasedByte(v[n][i / 4] >> (8 * (i % 4)));
#else
          const float a = float((v[n][i / 8] >> (4 * (i % 8))) & 15u);
#endif
          [[unroll]] for (int m = 0; m < ROWS; m++) part[m][n] += a * s[m];
        }
      }
    }
    [[unroll]] for (int m = 0; m < ROWS; m++)
      [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) {
#if FORMAT == FORMAT_Q8
        acc[m][n] += part[m][n] * scale[n];
#elif FORMAT == FORMAT_Q4
        const vec2 affine = unpackHalf2x16(scale[n]);
        acc[m][n] += part[m][n] * affine.x + affine.y * sum[m];
#else
        acc[m][n] += part[m][n];
#endif
      }
  }
  [[unroll]] for (int m = 0; m < ROWS; m++)
    epilogue(m, panel * PANEL_COLUMNS + lane * 4, vec4(acc[m][0], acc[m][1], acc[m][2], acc[m][3]));
}
