#version 450
// Split attention of few rows on GPUs: reads keys and values once, as wide as memory gives them.
//
// Mapping   a workgroup owns one row, FOLD heads of one KV head and a part of the keys. A key is read by LANES
//           invocations of a subgroup, eight values each; each group of LANES has a softmax of its own, joined at the end
//           by shuffles within the subgroup and through shared memory between subgroups. Of the workgroups of a row and
//           its heads, the last one to finish joins their results: a dispatch less.
// Dispatch  (rows, heads / FOLD, splits), splits at most MAX_SPLITS
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "interface/attention.glsl"

layout(local_size_x = 128) in;
layout(constant_id = 0) const int SUBGROUP = 32;
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) uniform samplerBuffer q;                 // [row][head][HEAD], rotated, f32 or f16
layout(binding = 1) readonly buffer Keys { uvec4 keys[]; };  // [kv head][capacity][HEAD] f16
layout(binding = 2) readonly buffer Values { uvec4 values[]; };
layout(binding = 3) coherent buffer Partials { vec4 partials[]; };  // [row][head][split][PARTIAL]: output, (maximum, sum)
layout(binding = 4) readonly buffer Rows { uvec4 rowTable[]; };
layout(binding = 5) writeonly buffer Outputs { vec4 y[]; };  // [row][head][HEAD]
layout(binding = 6) coherent buffer Arrivals { uint arrivals[]; };  // [row][head group]: workgroups done; 0 before and after

const int THREADS = 128, SUBGROUPS = THREADS / SUBGROUP, MAX_SPLITS = THREADS;
const int TEXELS = HEAD / 8, LANES = TEXELS <= 8 ? 8 : TEXELS <= 16 ? 16 : 32;
const int GROUPS = SUBGROUP / LANES;           // of a subgroup
const int PASSES = 4, STEP = GROUPS * PASSES;  // keys that a subgroup reads at a time
const int OUTPUTS = HEAD / 4, PARTIAL = OUTPUTS + 1;
const float MASKED = -1e30;
shared vec4 joined[SUBGROUPS * FOLD * OUTPUTS];  // [subgroup][head][texel]
shared vec2 states[SUBGROUPS * FOLD];
shared float weights[FOLD * MAX_SPLITS];  // of the parts, once all are there
shared float scratch[THREADS];
shared bool isLast;

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

// The largest, or the sum, of the workgroup's values.
float reduced(float value, bool largest) {
  const int thread = int(gl_LocalInvocationID.x);
  barrier();
  scratch[thread] = value;
  for (int half_ = THREADS / 2; half_ > 0; half_ /= 2) {
    barrier();
    if (thread < half_) {
      const float other = scratch[thread + half_];
      scratch[thread] = largest ? max(scratch[thread], other) : scratch[thread] + other;
    }
  }
  barrier();
  return scratch[0];
}

// The sum of texel `d` of head `f` over the workgroup's subgroups and, for d == OUTPUTS, its (maximum, sum).
vec4 joinSubgroups(int f, int d) {
  float top = MASKED, total = 0;
  for (int i = 0; i < SUBGROUPS; i++) top = max(top, states[i * FOLD + f].x);
  vec4 sum = vec4(0);
  for (int i = 0; i < SUBGROUPS; i++) {
    const float alpha = exp2(states[i * FOLD + f].x - top);
    total += states[i * FOLD + f].y * alpha;
    if (d < OUTPUTS) sum += joined[(i * FOLD + f) * OUTPUTS + d] * alpha;
  }
  return d < OUTPUTS ? sum : vec4(top, total, 0, 0);
}

// Joins the parts of heads head0 to head0 + FOLD - 1 of a row; `base` is the first of them in partials.
void joinSplits(int outputRow, int head0, int base, int splits) {
  const int thread = int(gl_LocalInvocationID.x);
  float totals[FOLD];
  [[unroll]] for (int f = 0; f < FOLD; f++) {
    const bool has = thread < splits;
    const vec2 state = has ? partials[base + (f * splits + thread) * PARTIAL + OUTPUTS].xy : vec2(MASKED, 0);
    const float weight = exp2(state.x - reduced(state.x, true));
    weights[f * MAX_SPLITS + thread] = weight;
    totals[f] = reduced(state.y * weight, false);
  }
  for (int t = thread; t < FOLD * OUTPUTS; t += THREADS) {
    const int f = t / OUTPUTS, d = t % OUTPUTS;
    float total = totals[0];
    [[unroll]] for (int i = 1; i < FOLD; i++) total = f == i ? totals[i] : total;
    vec4 sum = vec4(0);
    const int from = base + f * splits * PARTIAL + d;
    int i = 0;
    for (; i + 8 <= splits; i += 8)
      [[unroll]] for (int j = 0; j < 8; j++) sum += partials[from + (i + j) * PARTIAL] * weights[f * MAX_SPLITS + i + j];
    for (; i < splits; i++) sum += partials[from + i * PARTIAL] * weights[f * MAX_SPLITS + i];
    y[((outputRow * int(p.heads)) + head0 + f) * OUTPUTS + d] = sum / max(total, 1e-37);
  }
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
    [[unroll]] for (int distance = LANES; distance < SUBGROUP; distance *= 2) joinWith(s, f, distance);
    if (group == 0 && reads) {
      joined[(subgroup * FOLD + f) * OUTPUTS + part * 2] = s.low[f];
      joined[(subgroup * FOLD + f) * OUTPUTS + part * 2 + 1] = s.high[f];
    }
    if (lane == 0) states[subgroup * FOLD + f] = vec2(s.best[f], s.total[f]);
  }
  barrier();
  const int thread = int(gl_LocalInvocationID.x);
  if (splits == 1) {
    for (int t = thread; t < FOLD * OUTPUTS; t += THREADS)
      y[(row * int(p.heads) + head0) * OUTPUTS + t] =
          joinSubgroups(t / OUTPUTS, t % OUTPUTS) / max(joinSubgroups(t / OUTPUTS, OUTPUTS).y, 1e-37);
    return;
  }
  const int ownRow = row - int(p.row), base = (ownRow * int(p.heads) + head0) * splits * PARTIAL;
  for (int t = thread; t < FOLD * PARTIAL; t += THREADS)
    partials[base + (t / PARTIAL * splits + split) * PARTIAL + t % PARTIAL] = joinSubgroups(t / PARTIAL, t % PARTIAL);
  memoryBarrierBuffer();
  barrier();
  const int arrival = ownRow * (int(p.heads) / FOLD) + int(gl_WorkGroupID.y);
  if (thread == 0) {
    isLast = atomicAdd(arrivals[arrival], 1u) == uint(splits - 1);
    if (isLast) arrivals[arrival] = 0;
  }
  barrier();
  if (!isLast) return;
  memoryBarrierBuffer();
  joinSplits(row, head0, base, splits);
}
