#version 450
// Attention of tiles of rows on cooperative matrices: online softmax over the keys of the row table, all of it in
// registers.
//
// Mapping   a subgroup owns 16 rows of one head; a workgroup FOLD heads of one KV head times BLOCKS blocks of rows, which
//           share tiles of KEYS keys in shared memory. An invocation reads elements of a matrix as its own, which the
//           extension leaves to the driver: engine/kernels/fragment_layout.hpp finds out whether a device lays them out
//           as FRAGMENT_ROW and FRAGMENT_COLUMN say.
// Dispatch  (tiles of 16 * BLOCKS rows, heads / FOLD, splits): with several splits each takes a part of the keys and its
//           results are partial, see attention_merge.comp
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#include "cooperative.glsl"
#include "fragment_layout.glsl"
#include "interface/attention.glsl"
#include "kv_eight.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int THREADS = 96;  // 32 * FOLD * BLOCKS
layout(constant_id = 1) const int FOLD = 3;
layout(constant_id = 2) const int BLOCKS = 1;
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) readonly buffer Queries { float16_t q[]; };  // [row][head][HEAD], rotated
layout(binding = 1) readonly buffer Keys { KV_EIGHT keys[]; };   // [kv head][capacity][HEAD]: see kv_eight.glsl
layout(binding = 2) readonly buffer Values { KV_EIGHT values[]; };
layout(binding = 3) buffer Outputs { float16_t y[]; };           // [row][head][HEAD]
layout(binding = 4) readonly buffer Rows { uvec4 rowTable[]; };
layout(binding = 5) buffer Partials { float partials[]; };       // [row][head][split][HEAD + 4]

const int TEXELS = HEAD / 8, PITCH = TEXELS + 1;  // uvec4 per key, and in shared memory
shared uvec4 ks[2 * KEYS * PITCH];
shared uvec4 vs[2 * KEYS * PITCH];

const int KEY_FRAGMENTS = KEYS / FRAGMENT, HEAD_FRAGMENTS = HEAD / FRAGMENT;
const int UNITS = KEYS * TEXELS, READS = (UNITS + THREADS - 1) / THREADS;
// Far below any score, and near enough that its product with the scale, rounded or not, cancels to little.
const float MASKED = -1e7;
// The maximum that weights are taken relative to may lag behind by this many powers of two: they still fit f16.
const float LAG = 6.0;
KV_EIGHT nextK[READS], nextV[READS];
#ifdef KV_Q8
float keyFactors[READS], valueFactors[READS];
#endif

void readTile(int firstKey, int lastKey, int kv, int thread) {
  [[unroll]] for (int i = 0; i < READS; i++) {
    const int t = thread + i * THREADS;
    if (t >= UNITS) break;
    const int row = kv * int(p.capacity) + min(firstKey + t / TEXELS, lastKey), at = row * TEXELS + t % TEXELS;
    nextK[i] = keys[at];
    nextV[i] = values[at];
#ifdef KV_Q8
    const int factor = int(p.heads / p.group) * int(p.capacity) * TEXELS + row / 2;
    keyFactors[i] = uintBitsToFloat(keys[factor][row % 2]);
    valueFactors[i] = uintBitsToFloat(values[factor][row % 2]);
#endif
  }
}

#ifdef KV_Q8
uvec4 halvesOf(uvec2 bytes, float factor) {
  const vec4 low = lowFour(bytes) * factor, high = highFour(bytes) * factor;
  return uvec4(packHalf2x16(low.xy), packHalf2x16(low.zw), packHalf2x16(high.xy), packHalf2x16(high.zw));
}
#endif

void place(int buffer_, int thread) {
  [[unroll]] for (int i = 0; i < READS; i++) {
    const int t = thread + i * THREADS;
    if (t >= UNITS) break;
    const int at = (buffer_ * KEYS + t / TEXELS) * PITCH + t % TEXELS;
#ifdef KV_Q8
    ks[at] = halvesOf(nextK[i], keyFactors[i]);
    vs[at] = halvesOf(nextV[i], valueFactors[i]);
#else
    ks[at] = nextK[i];
    vs[at] = nextV[i];
#endif
  }
}

// What rows read: (sinkEnd, windowBegin, end) of all keys that any of them reads, and of those that each reads.
struct Reads {
  ivec3 any_;
  ivec3 each_;
};
const int NO_KEY = 0x7fffffff;

Reads readsOf(int firstRow, int count, int lane) {
  Reads reads = Reads(ivec3(0, NO_KEY, 0), ivec3(NO_KEY, 0, NO_KEY));
  for (int i = lane; i < count; i += 32) {
    const ivec3 row = ivec3(rowTable[int(p.intervals) + firstRow + i].xyz);
    if (row.z == 0) continue;  // padding
    reads.any_ = ivec3(max(reads.any_.x, row.x), min(reads.any_.y, row.y), max(reads.any_.z, row.z));
    reads.each_ = ivec3(min(reads.each_.x, row.x), max(reads.each_.y, row.y), min(reads.each_.z, row.z));
  }
  reads.any_ = ivec3(subgroupMax(reads.any_.x), subgroupMin(reads.any_.y), subgroupMax(reads.any_.z));
  reads.each_ = ivec3(subgroupMin(reads.each_.x), subgroupMax(reads.each_.y), subgroupMin(reads.each_.z));
  return reads;
}

// Of a tile: those of the sinks come first, then those of the window.
int firstKeyOf(int tile, int sinkTiles, int windowTile) {
  return (tile < sinkTiles ? tile : windowTile + tile - sinkTiles) * KEYS;
}

void main() {
  const int thread = int(gl_LocalInvocationID.x), subgroup = int(gl_SubgroupID), lane = int(gl_SubgroupInvocationID);
  const int head = int(gl_WorkGroupID.y) * FOLD + subgroup % FOLD, kv = head / int(p.group);
  const int tileRow = int(p.row) + int(gl_WorkGroupID.x) * FRAGMENT * BLOCKS;
  const int row0 = tileRow + subgroup / FOLD * FRAGMENT;
  const ivec3 tile = readsOf(tileRow, FRAGMENT * BLOCKS, lane).any_;
  const ivec3 all_ = readsOf(row0, FRAGMENT, lane).each_;
  const int windowTile = tile.y / KEYS, sinkTiles = min((tile.x + KEYS - 1) / KEYS, windowTile);
  const int tiles = sinkTiles + (tile.z + KEYS - 1) / KEYS - windowTile;
  const int splits = int(p.splits), each = (tiles + splits - 1) / splits;
  const int begin = int(gl_WorkGroupID.z) * each, end = min(tiles, begin + each);

  const uint at = (row0 * p.heads + head) * HEAD, stride = p.heads * HEAD;
  LEFT queries[HEAD_FRAGMENTS];
  SUM outputs[HEAD_FRAGMENTS];
  [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++) {
    coopMatLoad(queries[d], q, at + d * FRAGMENT, stride, ROW_MAJOR);
    outputs[d] = SUM(0.0);
  }
  // An invocation has parts of two rows.
  ivec3 reads[2];
  float best[2], total[2];
  [[unroll]] for (int j = 0; j < 2; j++) {
    reads[j] = ivec3(rowTable[int(p.intervals) + row0 + FRAGMENT_ROW(lane, j * 4)].xyz);
    best[j] = MASKED;
    total[j] = 0;
  }
  if (begin < end) readTile(firstKeyOf(begin, sinkTiles, windowTile), tile.z - 1, kv, thread);
  for (int t = begin; t < end; t++) {
    const int key0 = firstKeyOf(t, sinkTiles, windowTile), buffer_ = t % 2;
    place(buffer_, thread);
    barrier();
    if (t + 1 < end) readTile(firstKeyOf(t + 1, sinkTiles, windowTile), tile.z - 1, kv, thread);
    SUM scores[KEY_FRAGMENTS];
    [[unroll]] for (int n = 0; n < KEY_FRAGMENTS; n++) scores[n] = SUM(0.0);
    [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++) {
      [[unroll]] for (int n = 0; n < KEY_FRAGMENTS; n++) {
        RIGHT right;
        coopMatLoad(right, ks, (buffer_ * KEYS + n * FRAGMENT) * PITCH + d * 2, PITCH, COLUMN_MAJOR);
        scores[n] = coopMatMulAdd(queries[d], right, scores[n]);
      }
    }
    const bool unmasked = key0 + KEYS <= all_.x || (key0 >= all_.y && key0 + KEYS <= all_.z);
    if (!unmasked) {
      [[unroll]] for (int n = 0; n < KEY_FRAGMENTS; n++)
        [[unroll]] for (int i = 0; i < 8; i++) {
          const int key = key0 + n * FRAGMENT + FRAGMENT_COLUMN(lane, i);
          const ivec3 row = reads[i / 4];
          if (!(key < row.x || (key >= row.y && key < row.z))) scores[n][i] = MASKED;
        }
    }
    float top[2];
    bool grows = false;
    [[unroll]] for (int j = 0; j < 2; j++) {
      top[j] = MASKED;
      [[unroll]] for (int n = 0; n < KEY_FRAGMENTS; n++)
        [[unroll]] for (int i = 0; i < 4; i++) top[j] = max(top[j], scores[n][j * 4 + i]);
      top[j] = rowMax(top[j]) * p.scale;
      grows = grows || top[j] > best[j] + LAG;
    }
    if (subgroupAny(grows)) {
      [[unroll]] for (int j = 0; j < 2; j++) {
        top[j] = max(top[j], best[j]);
        const float alpha = exp2(best[j] - top[j]);
        best[j] = top[j];
        total[j] *= alpha;
        [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++)
          [[unroll]] for (int i = 0; i < 4; i++) outputs[d][j * 4 + i] *= alpha;
      }
    }
    [[unroll]] for (int n = 0; n < KEY_FRAGMENTS; n++) {
      LEFT weights;
      [[unroll]] for (int i = 0; i < 8; i++) {
        const float weight = exp2(scores[n][i] * p.scale - best[i / 4]);
        total[i / 4] += weight;
        weights[i] = float16_t(weight);
      }
      [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++) {
        RIGHT right;
        coopMatLoad(right, vs, (buffer_ * KEYS + n * FRAGMENT) * PITCH + d * 2, PITCH, ROW_MAJOR);
        outputs[d] = coopMatMulAdd(weights, right, outputs[d]);
      }
    }
  }
  if (splits > 1) {
    const int partialStride = int(p.heads) * splits * (HEAD + 4);
    const int partial = (row0 - int(p.row)) * partialStride + (head * splits + int(gl_WorkGroupID.z)) * (HEAD + 4);
    [[unroll]] for (int j = 0; j < 2; j++) {
      const float sum = rowSum(total[j]);
      if (lane % 4 != 0) continue;
      const int target = partial + FRAGMENT_ROW(lane, j * 4) * partialStride + HEAD;
      partials[target] = best[j];
      partials[target + 1] = sum;
    }
    [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++)
      coopMatStore(outputs[d], partials, partial + d * FRAGMENT, partialStride, ROW_MAJOR);
    return;
  }
  [[unroll]] for (int j = 0; j < 2; j++) {
    const float inverse = 1.0 / max(rowSum(total[j]), 1e-37);
    [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++)
      [[unroll]] for (int i = 0; i < 4; i++) outputs[d][j * 4 + i] *= inverse;
  }
  [[unroll]] for (int d = 0; d < HEAD_FRAGMENTS; d++)
    coopMatStore(HALF_SUM(outputs[d]), y, at + d * FRAGMENT, stride, ROW_MAJOR);
}
