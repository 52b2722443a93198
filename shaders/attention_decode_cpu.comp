#version 450
// Attention of few rows for CPU-type devices with subgroups of 8: keys split over workgroups, FOLD query heads together.
//
// Mapping   one subgroup per workgroup; lane = key (K and V are fetched and used in the lane, no shuffles in the loop).
//           Every lane has its own running maximum, sum and output; attention_merge.comp joins lanes and splits.
//           (Shuffling loop-carried vectors after the loop makes the driver's compiler blend every register write:
//           5 times slower.) 8 x BLOCKS keys per iteration: rescaling is paid once for all.
// Result    partial[row][head][split x 8 + lane][HEAD / 4 + 1] vec4: the output, then (maximum, sum, -, -)
// Dispatch  (splits, heads / FOLD, rows)
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require
#include "interface/attention.glsl"
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) uniform samplerBuffer q;  // [row][head][HEAD] f32, rotated
#include "kv_cache.glsl"
layout(binding = 3, rgba32f) uniform writeonly imageBuffer partial;
layout(binding = 4) uniform usamplerBuffer rowTable;

const int BLOCKS = 4;  // blocks of 8 keys per iteration
const int TEXELS = HEAD / KV_TEXEL_VALUES;
const float MASKED = -1e30;

void main() {
  const int lane = int(gl_LocalInvocationID.x), split = int(gl_WorkGroupID.x);
  const int head0 = int(gl_WorkGroupID.y) * FOLD, kv = head0 / int(p.group);
  const int row = int(gl_WorkGroupID.z);
  uint from[8];
  [[unroll]] for (int j = 0; j < 8; j++) from[j] = (p.heads >> 31) + j;  // opaque, see matmul_cpu.comp
  float qs[HEAD][FOLD], o[HEAD][FOLD], best[FOLD], total[FOLD];
  [[unroll]] for (int h = 0; h < FOLD; h++) {
    const int base = ((int(p.row) + row) * int(p.heads) + head0 + h) * (HEAD / 4);
    vec4 t[(HEAD + 31) / 32];
    [[unroll]] for (int i = 0; i < (HEAD + 31) / 32; i++) t[i] = texelFetch(q, base + i * 8 + lane) * p.scale;
    [[unroll]] for (int d = 0; d < HEAD; d++) {
      qs[d][h] = subgroupShuffle(t[d / 32][d % 4], from[(d / 4) % 8]);
      o[d][h] = 0;
    }
    best[h] = MASKED;
    total[h] = 0;
  }
  const ivec3 read = ivec3(texelFetch(rowTable, int(p.intervals + p.row) + row).xyz);
  const int windowBlock = read.y / 8, sinkBlocks = min((read.x + 7) / 8, windowBlock);
  const int blocks = sinkBlocks + (read.z + 7) / 8 - windowBlock;
  const int steps = (blocks + BLOCKS - 1) / BLOCKS, each = (steps + int(p.splits) - 1) / int(p.splits);
  const int end = min(steps, (split + 1) * each);
  for (int t = split * each; t < end; t++) {
    float s[BLOCKS][FOLD];
    int key[BLOCKS];
    [[unroll]] for (int b = 0; b < BLOCKS; b++) {
      const int at = min(t * BLOCKS + b, blocks - 1);  // the last step repeats its last block, masked
      key[b] = (at < sinkBlocks ? at : windowBlock + at - sinkBlocks) * 8 + lane;
      const bool mine = t * BLOCKS + b < blocks;
      KV_TEXEL raw[TEXELS];
      [[unroll]] for (int c = 0; c < TEXELS; c++)
        raw[c] = texelFetch(keys, (kv * int(p.capacity) + key[b]) * TEXELS + c);
      [[unroll]] for (int h = 0; h < FOLD; h++) s[b][h] = 0;
      [[unroll]] for (int d = 0; d < HEAD; d++) {
        const float k = kvValue(raw[d / KV_TEXEL_VALUES], d % KV_TEXEL_VALUES);
        [[unroll]] for (int h = 0; h < FOLD; h++) s[b][h] += k * qs[d][h];
      }
      const bool seen = mine && (key[b] < read.x || (key[b] >= read.y && key[b] < read.z));
      const float keyScale = keyFactor(kv * int(p.capacity) + key[b], HEAD);
      [[unroll]] for (int h = 0; h < FOLD; h++) s[b][h] = seen ? s[b][h] * keyScale : MASKED;
    }
    [[unroll]] for (int h = 0; h < FOLD; h++) {
      float top = best[h];
      [[unroll]] for (int b = 0; b < BLOCKS; b++) top = max(top, s[b][h]);
      const float alpha = exp2(best[h] - top);
      best[h] = top;
      total[h] *= alpha;
      [[unroll]] for (int b = 0; b < BLOCKS; b++) {
        s[b][h] = exp2(s[b][h] - top);
        total[h] += s[b][h];
      }
      [[unroll]] for (int d = 0; d < HEAD; d++) o[d][h] *= alpha;
    }
    [[unroll]] for (int b = 0; b < BLOCKS; b++) {
      KV_TEXEL raw[TEXELS];
      [[unroll]] for (int c = 0; c < TEXELS; c++)
        raw[c] = texelFetch(values, (kv * int(p.capacity) + key[b]) * TEXELS + c);
      const float valueScale = valueFactor(kv * int(p.capacity) + key[b], HEAD);
      float weight[FOLD];
      [[unroll]] for (int h = 0; h < FOLD; h++) weight[h] = s[b][h] * valueScale;
      [[unroll]] for (int d = 0; d < HEAD; d++) {
        const float e = kvValue(raw[d / KV_TEXEL_VALUES], d % KV_TEXEL_VALUES);
        [[unroll]] for (int h = 0; h < FOLD; h++) o[d][h] += e * weight[h];
      }
    }
  }
  [[unroll]] for (int h = 0; h < FOLD; h++) {
    const int part = ((row * int(p.heads) + head0 + h) * int(p.splits) + split) * 8 + lane;
    const int base = part * (HEAD / 4 + 1);
    [[unroll]] for (int d = 0; d < HEAD; d += 4)
      imageStore(partial, base + d / 4, vec4(o[d][h], o[d + 1][h], o[d + 2][h], o[d + 3][h]));
    imageStore(partial, base + HEAD / 4, vec4(best[h], total[h], 0, 0));
  }
}
