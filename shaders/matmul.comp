#version 450
// Matrix product for any device: product[row][column] = sum over k of x[row][k] w[column][k].
//
// Mapping   256 invocations per tile of 64 rows x 64 columns (two panels). Weights are expanded to f32 in shared
//           memory, 32 k at a time; an invocation owns 4 rows x 4 neighbouring columns.
// Dispatch  (columns / 64 rounded up, rows / 64 rounded up)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/projection.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer x;  // [row][inner]
#define EXPAND_CHUNKS
#include "weights.glsl"
#include "epilogue.glsl"

const int TILE = 64, STEP = 32, PAD = TILE + 4;
shared float xs[STEP * PAD];
shared float ws[STEP * PAD];

void loadX(int m0, int k, int thread) {
  const int K = int(p.inner);
  for (int t = thread; t < TILE * STEP / 4; t += 256) {
    const int row = t / (STEP / 4), part = t % (STEP / 4);
    const vec4 v = m0 + row < int(p.rows) ? texelFetch(x, ((int(p.xRow) + m0 + row) * K + k) / 4 + part) : vec4(0);
    [[unroll]] for (int i = 0; i < 4; i++) xs[(part * 4 + i) * PAD + row] = v[i];
  }
}

void loadW(int n0, int k, int thread) {
  const int K = int(p.inner);
  for (int t = thread; t < TILE * STEP / CHUNK; t += 256) {
    const int chunk = t / TILE, column = t % TILE;
    const int panel = (n0 + column) / PANEL_COLUMNS, lane = column / 4 % PANEL_LANES, block = column % PANEL_BLOCKS;
    if (panel * PANEL_COLUMNS >= int(p.columns)) {
      [[unroll]] for (int i = 0; i < CHUNK; i++) ws[(chunk * CHUNK + i) * PAD + column] = 0;
      continue;
    }
    float a[CHUNK];
    expandChunk(panel, lane, block, k / CHUNK + chunk, K, a);
    [[unroll]] for (int i = 0; i < CHUNK; i++) ws[(chunk * CHUNK + i) * PAD + column] = a[i];
  }
}

void main() {
  const int thread = int(gl_LocalInvocationID.x);
  const int n0 = int(gl_WorkGroupID.x) * TILE, m0 = int(gl_WorkGroupID.y) * TILE;
  const int column = thread % (TILE / 4) * 4, row = thread / (TILE / 4) * 4;
  vec4 acc[4];
  [[unroll]] for (int m = 0; m < 4; m++) acc[m] = vec4(0);
  for (int k = 0; k < int(p.inner); k += STEP) {
    loadX(m0, k, thread);
    loadW(n0, k, thread);
    barrier();
    for (int i = 0; i < STEP; i++) {
      const int wAt = i * PAD + column, xAt = i * PAD + row;
      const vec4 a = vec4(ws[wAt], ws[wAt + 1], ws[wAt + 2], ws[wAt + 3]);
      [[unroll]] for (int m = 0; m < 4; m++) acc[m] += a * xs[xAt + m];
    }
    barrier();
  }
  if (n0 + column < int(p.columns))
    [[unroll]] for (int m = 0; m < 4; m++) epilogue(m0 + row + m, n0 + column, acc[m]);
}
