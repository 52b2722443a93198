#version 450
// Attention for any device: online softmax over the keys of the row table. With SPLIT the keys are divided over
// workgroups and partial results are joined by attention_merge.comp.
//
// Mapping   a workgroup owns up to 16 queries: tileRows rows x fold heads of one KV head. 128 invocations share tiles
//           of K and V in shared memory; scores one (query, key) pair at a time, outputs eight invocations a query.
// Dispatch  (tiles, heads / fold, splits); without SPLIT splits is 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/attention.glsl"
#include "output_texel.glsl"
layout(local_size_x = 128) in;
layout(constant_id = 0) const int HEAD = 64;       // values per head, a multiple of 8, at most 256
layout(constant_id = 1) const int FOLD = 1;        // query heads of one KV head in a workgroup
layout(constant_id = 2) const int TILE_ROWS = 16;  // FOLD * TILE_ROWS <= 16
layout(constant_id = 3) const int KEYS = 32;       // keys per tile: shared memory holds (16 + KEYS) * (HEAD + 1) floats
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) uniform samplerBuffer q;  // [row][head][HEAD] f32, rotated
#include "kv_cache.glsl"
layout(binding = 3, Y_TEXEL) uniform writeonly imageBuffer y;  // [row][head][HEAD], or partials (see attention_merge)
layout(binding = 4) uniform usamplerBuffer rowTable;
#ifndef SPLIT
layout(binding = 5) uniform usamplerBuffer tileTable;
#endif

const int QUERIES = 16, HELPERS = 8;  // invocations per query
const int MAX_SLICE = 256 / HELPERS;  // values of a head per invocation
const float MASKED = -1e30;
shared float qs[QUERIES * (HEAD + 1)];
shared float kvs[KEYS * (HEAD + 1)];
shared float scores[QUERIES * (KEYS + 1)];

void loadTile(bool wantKeys, int first, int count, int kv, int thread) {
  const int texels = HEAD / KV_TEXEL_VALUES;
  for (int t = thread; t < KEYS * texels; t += 128) {
    const int key = t / texels, c = t % texels;
    const int row = kv * int(p.capacity) + first + min(key, count - 1), at = row * texels + c;
    KV_TEXEL raw;
    if (wantKeys) raw = texelFetch(keys, at); else raw = texelFetch(values, at);
    const float factor = wantKeys ? keyFactor(row, HEAD) : valueFactor(row, HEAD);
    [[unroll]] for (int i = 0; i < KV_TEXEL_VALUES; i++)
      kvs[key * (HEAD + 1) + c * KV_TEXEL_VALUES + i] = kvValue(raw, i) * factor;
  }
}

void main() {
  const int thread = int(gl_LocalInvocationID.x), tile = int(gl_WorkGroupID.x);
  const int head0 = int(gl_WorkGroupID.y) * FOLD, kv = head0 / int(p.group);
  const int row0 = int(p.row) + tile * TILE_ROWS;
  const int mine = thread / HELPERS, helper = thread % HELPERS;  // the query this invocation works for
  const int myRow = row0 + mine / FOLD, myHead = head0 + mine % FOLD;
  const bool owns = mine < FOLD * TILE_ROWS;
  for (int t = thread; t < QUERIES * HEAD; t += 128) {
    const int query = t / HEAD, d = t % HEAD;
    const int at = ((row0 + query / FOLD) * int(p.heads) + head0 + query % FOLD) * HEAD + d;
    qs[query * (HEAD + 1) + d] = query < FOLD * TILE_ROWS ? texelFetch(q, at / 4)[at % 4] * p.scale : 0.0;
  }
  const ivec3 read = owns ? ivec3(texelFetch(rowTable, int(p.intervals) + myRow).xyz) : ivec3(0);
#ifdef SPLIT
  const ivec3 tileRead = ivec3(texelFetch(rowTable, int(p.intervals) + row0).xyz);  // a tile is one row
#else
  const ivec3 tileRead = ivec3(texelFetch(tileTable, int(p.tiles) + tile).xyz);
#endif
  const int windowTile = tileRead.y / KEYS, sinkTiles = min((tileRead.x + KEYS - 1) / KEYS, windowTile);
  const int tiles = sinkTiles + (tileRead.z + KEYS - 1) / KEYS - windowTile;
  const int each = (tiles + int(p.splits) - 1) / int(p.splits);
  const int begin = int(gl_WorkGroupID.z) * each, end = min(tiles, begin + each);
  float o[MAX_SLICE];
  [[unroll]] for (int i = 0; i < MAX_SLICE; i++) o[i] = 0;
  float best = MASKED, total = 0;
  for (int t = begin; t < end; t++) {
    const int k0 = (t < sinkTiles ? t : windowTile + t - sinkTiles) * KEYS;
    const int count = min(KEYS, tileRead.z - k0);
    barrier();
    loadTile(true, k0, count, kv, thread);
    barrier();
    for (int j = helper; j < KEYS; j += HELPERS) {
      float dot_ = 0;
      for (int d = 0; d < HEAD; d++) dot_ += qs[mine * (HEAD + 1) + d] * kvs[j * (HEAD + 1) + d];
      const int key = k0 + j;
      const bool seen = key < read.x || (key >= read.y && key < read.z);
      scores[mine * (KEYS + 1) + j] = seen ? dot_ : MASKED;
    }
    barrier();
    loadTile(false, k0, count, kv, thread);
    float top = best;
    for (int j = 0; j < KEYS; j++) top = max(top, scores[mine * (KEYS + 1) + j]);
    const float alpha = exp2(best - top);
    best = top;
    total *= alpha;
    [[unroll]] for (int i = 0; i < MAX_SLICE; i++) o[i] *= alpha;
    barrier();
    for (int j = 0; j < KEYS; j++) {
      const float weight = exp2(scores[mine * (KEYS + 1) + j] - top);
      total += weight;
      [[unroll]] for (int i = 0; i < MAX_SLICE; i++)
        if (helper + i * HELPERS < HEAD) o[i] += weight * kvs[j * (HEAD + 1) + helper + i * HELPERS];
    }
  }
  // Gather the eight slices of a query in shared memory to store whole texels.
  barrier();
#ifndef SPLIT
  const float inverse = 1.0 / max(total, 1e-37);
  [[unroll]] for (int i = 0; i < MAX_SLICE; i++) o[i] *= inverse;
#endif
  [[unroll]] for (int i = 0; i < MAX_SLICE; i++)
    if (helper + i * HELPERS < HEAD) qs[mine * (HEAD + 1) + helper + i * HELPERS] = o[i];
  barrier();
  if (!owns) return;
#ifdef SPLIT
  const int part = ((myRow - int(p.row)) * int(p.heads) + myHead) * int(p.splits) + int(gl_WorkGroupID.z);
  const int base = part * (HEAD / 4 + 1);
  if (helper == 0) imageStore(y, base + HEAD / 4, vec4(best, total, 0, 0));
#else
  const int base = (myRow * int(p.heads) + myHead) * (HEAD / 4);
#endif
  for (int d = helper; d < HEAD / 4; d += HELPERS) {
    const int at = mine * (HEAD + 1) + d * 4;
    imageStore(y, base + d, vec4(qs[at], qs[at + 1], qs[at + 2], qs[at + 3]));
  }
}
