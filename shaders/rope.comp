#version 450
// RoPE and cache write of many rows: what EPILOGUE_QKV does to the product of few rows. A dispatch of its own for many
// rows, because the product's shader, unrolled 32 times, would take seconds to compile with it.
// Dispatch  (rows)
#extension GL_GOOGLE_include_directive : require
#include "interface/projection.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) uniform samplerBuffer joined;              // [row][columns]: Q, K and V of a row
layout(binding = 3, rgba32f) uniform writeonly imageBuffer y;  // [row][head][headSize]
#include "qkv_store.glsl"

void main() {
  const int row = int(gl_WorkGroupID.x), columns = int(p.columns);
  for (int column = int(gl_LocalInvocationID.x) * 4; column < columns; column += 32)
    storeQkv(row, column, texelFetch(joined, ((int(p.xRow) + row) * columns + column) / 4));
}
