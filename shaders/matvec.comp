#version 450
// Matrix product of few rows for any device; weights are read once for all ROWS rows.
//
// Mapping   256 invocations per panel of 32 columns: an invocation owns one column and every eighth chunk of K; the
//           eight parts of a column are summed through shared memory. Several chunks are read before any is used, so
//           that their latencies overlap. With NORM the RMS norm of x is part of the read.
// Dispatch  (columns / 32)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/projection.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer x;  // [row][inner]
#define EXPAND_CHUNKS
#include "weights.glsl"
#include "epilogue.glsl"
#ifdef NORM
layout(binding = 8) uniform samplerBuffer gain;  // [inner], 0 beyond width
#endif

const int PARTS = 8, UNROLL = ROWS == 1 ? 4 : 2;
shared float sums[ROWS * 256];

// Sum over the workgroup of sums[row * 256 ..]; the result stands in sums[row * 256].
void reduceSums(int thread) {
  for (int half_ = 128; half_ > 0; half_ /= 2) {
    barrier();
    if (thread < half_)
      [[unroll]] for (int m = 0; m < ROWS; m++) sums[m * 256 + thread] += sums[m * 256 + thread + half_];
  }
  barrier();
}

void main() {
  const int thread = int(gl_LocalInvocationID.x), K = int(p.inner), panel = int(gl_WorkGroupID.x);
  const int column = thread % PANEL_COLUMNS, part = thread / PANEL_COLUMNS;
  const int lane = column / 4, block = column % PANEL_BLOCKS;
  float norm[ROWS];
  [[unroll]] for (int m = 0; m < ROWS; m++) norm[m] = 1;
#ifdef NORM
  [[unroll]] for (int m = 0; m < ROWS; m++) {
    float squares = 0;
    for (int k = thread; k < K / 4; k += 256) {
      const vec4 v = texelFetch(x, (int(p.xRow) + m) * (K / 4) + k);
      squares += dot(v, v);
    }
    sums[m * 256 + thread] = squares;
  }
  reduceSums(thread);
  [[unroll]] for (int m = 0; m < ROWS; m++) norm[m] = inversesqrt(sums[m * 256] / float(p.width) + p.epsilon);
  barrier();
#endif
  float acc[ROWS];
  [[unroll]] for (int m = 0; m < ROWS; m++) acc[m] = 0;
  const int chunks = K / CHUNK;
  for (int first = part; first < chunks; first += PARTS * UNROLL) {
    [[unroll]] for (int u = 0; u < UNROLL; u++) {
      const int chunk = min(first + u * PARTS, chunks - 1);
      const float counts = first + u * PARTS < chunks ? 1 : 0;
      float a[CHUNK];
      expandChunk(panel, lane, block, chunk, K, a);
      [[unroll]] for (int i = 0; i < CHUNK; i += 4) {
        vec4 four = vec4(a[i], a[i + 1], a[i + 2], a[i + 3]) * counts;
        const int at = (chunk * CHUNK + i) / 4;
#ifdef NORM
        four *= texelFetch(gain, at);
#endif
        [[unroll]] for (int m = 0; m < ROWS; m++) acc[m] += dot(four, texelFetch(x, (int(p.xRow) + m) * (K / 4) + at));
      }
    }
  }
  [[unroll]] for (int m = 0; m < ROWS; m++) sums[m * 256 + part * PANEL_COLUMNS + column] = acc[m];
  barrier();
  if (thread >= ROWS * PANEL_LANES) return;
  const int row = thread / PANEL_LANES, first = thread % PANEL_LANES * 4;
  vec4 product = vec4(0);
  for (int i = 0; i < PARTS; i++)
    [[unroll]] for (int n = 0; n < 4; n++) product[n] += sums[row * 256 + i * PANEL_COLUMNS + first + n];
  float scale = norm[0];
  [[unroll]] for (int m = 1; m < ROWS; m++) if (row == m) scale = norm[m];
  epilogue(row, panel * PANEL_COLUMNS + first, product * scale);
}
