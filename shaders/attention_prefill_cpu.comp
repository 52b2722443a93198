#version 450
// Attention of many rows for CPU-type devices with subgroups of 8: online softmax over the keys of the row table.
//
// Mapping   one subgroup per workgroup; lane = query row, FOLD query heads of a KV head x BLOCKS blocks of 8 rows. q
//           and the output of all of them stay in the lane. 8 keys per iteration, fetched with lane = key and handed
//           to all rows by subgroupShuffle; scores, maximum and sum need no exchange between lanes.
// Tiles     a tile is 8 x BLOCKS rows; the keys visited are the tile table's intervals, widened to multiples of 8. The
//           row's own interval is applied to every tile: a branch would skip nothing, both sides run.
// Dispatch  (tiles, heads / FOLD)
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/attention.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) uniform samplerBuffer q;  // [row][head][HEAD] f32, rotated
#include "kv_cache.glsl"
layout(binding = 3, rgba32f) uniform writeonly imageBuffer y;  // [row][head][HEAD] f32
layout(binding = 4) uniform usamplerBuffer rowTable;
layout(binding = 5) uniform usamplerBuffer tileTable;

const int V = FOLD * BLOCKS;
const int STEP = 16;  // values of a key handed out before the next key: short chains of additions
const int TEXELS = HEAD / KV_TEXEL_VALUES;
const float MASKED = -1e30;

void main() {
  const int lane = int(gl_LocalInvocationID.x);
  const int tile = int(gl_WorkGroupID.x), head0 = int(gl_WorkGroupID.y) * FOLD;
  const int row0 = int(p.row) + tile * 8 * BLOCKS, kv = head0 / int(p.group);
  uint from[8];
  [[unroll]] for (int j = 0; j < 8; j++) from[j] = (p.heads >> 31) + j;  // opaque, see matmul_cpu.comp
  float qv[HEAD][V], o[HEAD][V], best[V], total[V];
  [[unroll]] for (int v = 0; v < V; v++) {
    const int base = ((row0 + v / FOLD * 8 + lane) * int(p.heads) + head0 + v % FOLD) * (HEAD / 4);
    [[unroll]] for (int d = 0; d < HEAD; d += 4) {
      const vec4 t = texelFetch(q, base + d / 4) * p.scale;
      [[unroll]] for (int i = 0; i < 4; i++) {
        qv[d + i][v] = t[i];
        o[d + i][v] = 0;
      }
    }
    best[v] = MASKED;
    total[v] = 0;
  }
  ivec3 read[BLOCKS];  // sinkEnd, windowBegin, end of the lane's rows
  [[unroll]] for (int b = 0; b < BLOCKS; b++)
    read[b] = ivec3(texelFetch(rowTable, int(p.intervals) + row0 + b * 8 + lane).xyz);
  const ivec3 tileRead = ivec3(texelFetch(tileTable, int(p.tiles) + tile).xyz);
  const int windowTile = tileRead.y / 8, sinkTiles = min((tileRead.x + 7) / 8, windowTile);
  const int tiles = sinkTiles + (tileRead.z + 7) / 8 - windowTile;
  for (int t = 0; t < tiles; t++) {
    const int k0 = (t < sinkTiles ? t : windowTile + t - sinkTiles) * 8;
    const int cacheRow = kv * int(p.capacity) + k0 + lane, kBase = cacheRow * TEXELS;
    const float keyScale = keyFactor(cacheRow, HEAD), valueScale = valueFactor(cacheRow, HEAD);
    float s[8][V];
    [[unroll]] for (int j = 0; j < 8; j++) [[unroll]] for (int v = 0; v < V; v++) s[j][v] = 0;
    KV_TEXEL raw[TEXELS];
    [[unroll]] for (int c = 0; c < TEXELS; c++) raw[c] = texelFetch(keys, kBase + c);
    [[unroll]] for (int d0 = 0; d0 < HEAD; d0 += STEP) {
      float k[STEP];
      [[unroll]] for (int i = 0; i < STEP; i++)
        k[i] = kvValue(raw[(d0 + i) / KV_TEXEL_VALUES], (d0 + i) % KV_TEXEL_VALUES) * keyScale;
      [[unroll]] for (int j = 0; j < 8; j++)
        [[unroll]] for (int i = 0; i < STEP; i++) {
          const float b = subgroupShuffle(k[i], from[j]);
          [[unroll]] for (int v = 0; v < V; v++) s[j][v] += b * qv[d0 + i][v];
        }
    }
    [[unroll]] for (int c = 0; c < TEXELS; c++) raw[c] = texelFetch(values, kBase + c);
    [[unroll]] for (int v = 0; v < V; v++) {
      float top = best[v];
      [[unroll]] for (int j = 0; j < 8; j++) {
        const int key = k0 + j;
        const bool seen = key < read[v / FOLD].x || (key >= read[v / FOLD].y && key < read[v / FOLD].z);
        s[j][v] = seen ? s[j][v] : MASKED;
        top = max(top, s[j][v]);
      }
      const float alpha = exp2(best[v] - top);
      best[v] = top;
      float sum = total[v] * alpha;
      [[unroll]] for (int j = 0; j < 8; j++) {
        s[j][v] = exp2(s[j][v] - top);
        sum += s[j][v];
      }
      total[v] = sum;
      [[unroll]] for (int d = 0; d < HEAD; d++) o[d][v] *= alpha;
    }
    [[unroll]] for (int d = 0; d < HEAD; d++) {
      const float e = kvValue(raw[d / KV_TEXEL_VALUES], d % KV_TEXEL_VALUES) * valueScale;
      [[unroll]] for (int j = 0; j < 8; j++) {
        const float b = subgroupShuffle(e, from[j]);
        [[unroll]] for (int v = 0; v < V; v++) o[d][v] += b * s[j][v];
      }
    }
  }
  [[unroll]] for (int v = 0; v < V; v++) {
    const float inverse = 1.0 / total[v];
    const int base = ((row0 + v / FOLD * 8 + lane) * int(p.heads) + head0 + v % FOLD) * (HEAD / 4);
    [[unroll]] for (int d = 0; d < HEAD; d += 4)
      imageStore(y, base + d / 4, vec4(o[d][v], o[d + 1][v], o[d + 2][v], o[d + 3][v]) * inverse);
  }
}
