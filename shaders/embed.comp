#version 450
// Embedding look-up: y[row] = the row of the embedding matrix that belongs to tokens[row], expanded to f32.
// Dispatch  (rows)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/rows.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { EmbedPush p; };
layout(binding = 0) uniform usamplerBuffer tokens;  // [row] r32ui
#define EXPAND_CHUNKS
#include "weights.glsl"
layout(binding = 3, rgba32f) uniform writeonly imageBuffer y;  // [row][inner]

void main() {
  const int row = int(p.row + gl_WorkGroupID.x), chunks = int(p.inner) / CHUNK;
  const int token = int(min(texelFetch(tokens, row).x, p.vocabulary - 1));
  const int panel = token / PANEL_COLUMNS, lane = token % PANEL_COLUMNS / 4, block = token % PANEL_BLOCKS;
  for (int chunk = int(gl_LocalInvocationID.x); chunk < chunks; chunk += 8) {
    float a[CHUNK];
    expandChunk(panel, lane, block, chunk, int(p.inner), a);
    [[unroll]] for (int i = 0; i < CHUNK; i += 4)
      imageStore(y, (row * int(p.inner) + chunk * CHUNK + i) / 4, vec4(a[i], a[i + 1], a[i + 2], a[i + 3]));
  }
}
