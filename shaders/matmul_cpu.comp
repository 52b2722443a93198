#version 450
// Matrix product for CPU-type devices with subgroups of 8: product[row][column] = sum over k of x[row][k] w[column][k].
//
// Mapping   one subgroup per workgroup and tile of 32 rows x 32 columns. Lane = row: lane l holds rows l, l + 8, + 16,
//           + 24. Weights are fetched with lane = column and handed to all lanes by subgroupShuffle. 128 accumulator
//           vectors and 8 k per iteration keep the loop's machine code inside a 32 KiB instruction cache.
// Dispatch  (columns / 32, rows / 32 rounded up)
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/projection.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer x;  // [row][inner]
#include "weights.glsl"
#include "epilogue.glsl"

const int ROWS = 4;  // blocks of 8 rows
const int STEP = 8;  // k per iteration

void main() {
  const int lane = int(gl_LocalInvocationID.x);
  const int n0 = int(gl_WorkGroupID.x) * PANEL_COLUMNS, m0 = int(gl_WorkGroupID.y) * 8 * ROWS;
  const int K = int(p.inner);
  // Opaque to the compiler: a constant index becomes two shuffles, a variable one a single permutation.
  uint from[8];
  [[unroll]] for (int j = 0; j < 8; j++) from[j] = (p.columns >> 31) + j;
  float acc[PANEL_COLUMNS][ROWS];
  [[unroll]] for (int n = 0; n < PANEL_COLUMNS; n++)
    [[unroll]] for (int m = 0; m < ROWS; m++) acc[n][m] = 0;

  const int xBase = (int(p.xRow) + m0 + lane) * (K / 4);
  // The view's texel holds the 8 weights of an iteration (f32: half of them).
  const int wBase = (n0 * (K / CHUNK) + lane) * (FORMAT == FORMAT_Q8 ? 2 : FORMAT == FORMAT_Q4 ? 4 : 1);
  const int sBase = (n0 / 32) * (K / SCALE_GROUP) * 8 + lane;
  for (int k = 0; k < K; k += STEP) {
    float b[ROWS][STEP];
    [[unroll]] for (int m = 0; m < ROWS; m++)
      [[unroll]] for (int u = 0; u < STEP / 4; u++) {
        const vec4 v = texelFetch(x, xBase + m * 2 * K + k / 4 + u);
        [[unroll]] for (int i = 0; i < 4; i++) b[m][u * 4 + i] = v[i];
      }
    // All fetches come first: each is a function call that spills live vectors.
#if FORMAT == FORMAT_Q8 || FORMAT == FORMAT_Q4
    const SCALE_TEXEL scale = texelFetch(scales, sBase + (k / SCALE_GROUP) * 8);
#endif
#if FORMAT == FORMAT_F32
    vec4 v[PANEL_BLOCKS][2];
    [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++)
      [[unroll]] for (int u = 0; u < 2; u++) v[n][u] = texelFetch(w, wBase + k * 8 + u * 32 + n * 8);
#elif FORMAT == FORMAT_F16
    uvec4 v[PANEL_BLOCKS];
    [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) v[n] = texelFetch(w, wBase + k * 4 + n * 8);
#elif FORMAT == FORMAT_Q8
    uvec2 v[PANEL_BLOCKS];
    [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++)
      v[n] = texelFetch(w, wBase + (k / 16) * 64 + n * 16 + (k / 8) % 2).xy;
#else
    uint v[PANEL_BLOCKS];
    [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++)
      v[n] = texelFetch(w, wBase + (k / 32) * 128 + n * 32 + (k / 8) % 4).x;
#endif
    [[unroll]] for (int n = 0; n < PANEL_BLOCKS; n++) {
      float a[STEP];
      [[unroll]] for (int i = 0; i < STEP; i++) {
#if FORMAT == FORMAT_F32
        a[i] = v[n][i / 4][i % 4];
#elif FORMAT == FORMAT_F16
        a[i] = unpackHalf2x16(v[n][i / 2])[i % 2];
#elif FORMAT == FORMAT_Q8
        a[i] = biasedByte(v[n][i / 4] >> (8 * (i % 4))) * scale[n];
#else
        const vec2 affine = unpackHalf2x16(scale[n]);
        a[i] = float((v[n] >> (4 * i)) & 15u) * affine.x + affine.y;
#endif
      }
      [[unroll]] for (int j = 0; j < 8; j++)
        [[unroll]] for (int i = 0; i < STEP; i++) {
          const float s = subgroupShuffle(a[i], from[j]);
          [[unroll]] for (int m = 0; m < ROWS; m++) acc[j * 4 + n][m] += s * b[m][i];
        }
    }
  }
  [[unroll]] for (int m = 0; m < ROWS; m++)
    [[unroll]] for (int n = 0; n < PANEL_COLUMNS; n += 4)
      epilogue(m0 + m * 8 + lane, n0 + n, vec4(acc[n][m], acc[n + 1][m], acc[n + 2][m], acc[n + 3][m]));
}
