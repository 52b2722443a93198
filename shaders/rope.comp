#version 450
// RoPE and cache write of many rows: what EPILOGUE_QKV does to the product of few rows. A dispatch of its own for many
// rows, because the product's shader, unrolled 32 times, would take seconds to compile with it.
// Dispatch  (rows)
#extension GL_GOOGLE_include_directive : require
#include "interface/projection.glsl"
#include "output_texel.glsl"
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int THREADS = 8;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer joined;              // [row][columns]: Q, K and V of a row
layout(binding = 3, Y_TEXEL) uniform writeonly imageBuffer y;  // [row][head][headSize]
#include "qkv_store.glsl"

void main() {
  const int row = int(gl_WorkGroupID.x), columns = int(p.columns);
  for (int column = int(gl_LocalInvocationID.x) * 4; column < columns; column += 4 * THREADS)
    storeQkv(row, column, texelFetch(joined, ((int(p.xRow) + row) * columns + column) / 4));
}
