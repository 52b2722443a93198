#version 450
// Split attention of few rows on GPUs: reads keys and values once, as wide as memory gives them.
//
// Mapping   a workgroup owns one row, FOLD heads of one KV head and a part of the keys. A key is read by LANES
//           invocations of a subgroup, eight values each; each group of LANES has a softmax of its own, joined at the end
//           by shuffles within the subgroup and through shared memory between the four subgroups.
// Dispatch  (rows, heads / FOLD, splits); results are partial, see attention_merge.comp
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "interface/attention.glsl"

layout(local_size_x = 128) in;
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) uniform samplerBuffer q;                 // [row][head][HEAD], rotated
layout(binding = 1) readonly buffer Keys { uvec4 keys[]; };  // [kv head][capacity][HEAD] f16
layout(binding = 2) readonly buffer Values { uvec4 values[]; };
layout(binding = 3) writeonly buffer Partials { vec4 partials[]; };  // [row][head][split][HEAD / 4 + 1]
layout(binding = 4) readonly buffer Rows { uvec4 rowTable[]; };

const int TEXELS = HEAD / 8, LANES = TEXELS <= 8 ? 8 : 16;
const int SUBGROUPS = 4, GROUPS = 32 / LANES;       // groups of a subgroup
const int PASSES = 4, STEP = GROUPS * PASSES;       // keys that a subgroup reads at a time
const float MASKED = -1e30;
shared vec4 joined[SUBGROUPS][FOLD][HEAD / 4];
shared vec2 states[SUBGROUPS][FOLD];

struct State {
  float best[FOLD], total[FOLD];
  vec4 low[FOLD], high[FOLD];  // outputs of this invocation's eight values
};

float dotHalves(uvec4 k, vec4 low, vec4 high) {
  return dot(vec4(unpackHalf2x16(k.x), unpackHalf2x16(k.y)), low) + dot(vec4(unpackHalf2x16(k.z), unpackHalf2x16(k.w)), high);
}

float sumOfGroup(float value) {
  [[unroll]] for (int distance = 1; distance < LANES; distance *= 2) value += subgroupShuffleXor(value, distance);
  return value;
}

// The state of two groups `distance` invocations apart.
void joinWith(inout State s, int f, int distance) {
  const float best = subgroupShuffleXor(s.best[f], distance), total = subgroupShuffleXor(s.total[f], distance);
  const vec4 low = subgroupShuffleXor(s.low[f], distance), high = subgroupShuffleXor(s.high[f], distance);
  const float top = max(s.best[f], best), mine = exp2(s.best[f] - top), other = exp2(best - top);
  s.best[f] = top;
  s.total[f] = s.total[f] * mine + total * other;
  s.low[f] = s.low[f] * mine + low * other;
  s.high[f] = s.high[f] * mine + high * other;
}

void main() {
  const int subgroup = int(gl_SubgroupID), lane = int(gl_SubgroupInvocationID);
  const int row = int(p.row) + int(gl_WorkGroupID.x), head0 = int(gl_WorkGroupID.y) * FOLD, kv = head0 / int(p.group);
  const int part = lane % LANES, group = lane / LANES, texel = min(part, TEXELS - 1);
  const bool reads = part < TEXELS;
  const ivec3 read = ivec3(rowTable[int(p.intervals) + row].xyz);
  // Sinks that the window covers are read with it.
  const int sinks = min(read.x, read.y), count = sinks + read.z - read.y;
  const int splits = int(p.splits), split = int(gl_WorkGroupID.z);
  const int each = (count + splits - 1) / splits, begin = split * each, end = min(count, begin + each);

  vec4 queryLow[FOLD], queryHigh[FOLD];
  State s;
  [[unroll]] for (int f = 0; f < FOLD; f++) {
    const int at = ((row * int(p.heads) + head0 + f) * HEAD) / 4 + texel * 2;
    queryLow[f] = reads ? texelFetch(q, at) * p.scale : vec4(0);
    queryHigh[f] = reads ? texelFetch(q, at + 1) * p.scale : vec4(0);
    s.best[f] = MASKED;
    s.total[f] = 0;
    s.low[f] = s.high[f] = vec4(0);
  }
  for (int first = begin + subgroup * STEP; first < end; first += SUBGROUPS * STEP) {
    uvec4 k[PASSES], v[PASSES];
    bool seen[PASSES];
    [[unroll]] for (int i = 0; i < PASSES; i++) {
      const int index = first + i * GROUPS + group;
      seen[i] = index < end;
      const int known = min(index, end - 1), key = known < sinks ? known : read.y + known - sinks;
      const int at = (kv * int(p.capacity) + key) * TEXELS + texel;
      k[i] = keys[at];
      v[i] = values[at];
    }
    [[unroll]] for (int f = 0; f < FOLD; f++) {
      float score[PASSES], top = s.best[f];
      [[unroll]] for (int i = 0; i < PASSES; i++) {
        score[i] = sumOfGroup(dotHalves(k[i], queryLow[f], queryHigh[f]));
        if (!seen[i]) score[i] = MASKED;
        top = max(top, score[i]);
      }
      const float alpha = exp2(s.best[f] - top);
      s.best[f] = top;
      s.total[f] *= alpha;
      s.low[f] *= alpha;
      s.high[f] *= alpha;
      [[unroll]] for (int i = 0; i < PASSES; i++) {
        const float weight = seen[i] ? exp2(score[i] - top) : 0.0;
        s.total[f] += weight;
        s.low[f] += weight * vec4(unpackHalf2x16(v[i].x), unpackHalf2x16(v[i].y));
        s.high[f] += weight * vec4(unpackHalf2x16(v[i].z), unpackHalf2x16(v[i].w));
      }
    }
  }
  [[unroll]] for (int f = 0; f < FOLD; f++) {
    [[unroll]] for (int distance = LANES; distance < 32; distance *= 2) joinWith(s, f, distance);
    if (group == 0 && reads) {
      joined[subgroup][f][part * 2] = s.low[f];
      joined[subgroup][f][part * 2 + 1] = s.high[f];
    }
    if (lane == 0) states[subgroup][f] = vec2(s.best[f], s.total[f]);
  }
  barrier();
  for (int t = int(gl_LocalInvocationID.x); t < FOLD * (HEAD / 4 + 1); t += 128) {
    const int f = t / (HEAD / 4 + 1), d = t % (HEAD / 4 + 1);
    float top = MASKED, total = 0;
    [[unroll]] for (int i = 0; i < SUBGROUPS; i++) top = max(top, states[i][f].x);
    vec4 sum = vec4(0);
    [[unroll]] for (int i = 0; i < SUBGROUPS; i++) {
      const float alpha = exp2(states[i][f].x - top);
      total += states[i][f].y * alpha;
      if (d < HEAD / 4) sum += joined[i][f][d] * alpha;
    }
    const int partial = ((row - int(p.row)) * int(p.heads) + head0 + f) * splits + split;
    partials[partial * (HEAD / 4 + 1) + d] = d < HEAD / 4 ? sum : vec4(top, total, 0, 0);
  }
}
