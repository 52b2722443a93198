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
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "interface/attention.glsl"
#include "kv_eight.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int THREADS = 256;
layout(constant_id = 1) const int SUBGROUP = 32;
layout(push_constant) uniform Push { AttentionPush p; };
layout(binding = 0) uniform samplerBuffer q;                 // [row][head][HEAD], rotated, f32 or f16
layout(binding = 1) readonly buffer Keys { KV_EIGHT keys[]; };  // [kv head][capacity][HEAD]: see kv_eight.glsl
layout(binding = 2) readonly buffer Values { KV_EIGHT values[]; };
layout(binding = 3) coherent buffer Partials { vec4 partials[]; };  // [row][head][split][PARTIAL]: output, (maximum, sum)
layout(binding = 4) readonly buffer Rows { uvec4 rowTable[]; };
layout(binding = 5) writeonly buffer Outputs { vec4 y[]; };  // [row][head][HEAD]
layout(binding = 6) coherent buffer Arrivals { uint arrivals[]; };  // [row][head group]: workgroups done; 0 before and after

const int SUBGROUPS = THREADS / SUBGROUP, MAX_SPLITS = 128;
const int TEXELS = HEAD / 8, LANES = TEXELS <= 8 ? 8 : TEXELS <= 16 ? 16 : 32;
const int GROUPS = SUBGROUP / LANES;           // of a subgroup
const int PASSES = 2, STEP = GROUPS * PASSES;  // keys that a subgroup reads at a time
const int OUTPUTS = HEAD / 4, PARTIAL = OUTPUTS + 1;
const int SHARES = THREADS < FOLD * OUTPUTS ? 1 : THREADS / (FOLD * OUTPUTS);  // of the parts, when they are joined
const float MASKED = -1e30;
shared vec4 joined[(SUBGROUPS > SHARES ? SUBGROUPS : SHARES) * FOLD * OUTPUTS];  // [subgroup or share][head][texel]
shared vec2 states[SUBGROUPS * FOLD];
shared float weights[FOLD * MAX_SPLITS];  // of the parts, once all are there
shared bool isLast;

// An invocation's eight values of a key and of its value; the factors are used where the cache holds bytes.
struct Entry {
  KV_EIGHT key, value;
  float keyFactor, valueFactor;
};

struct State {
  float best[FOLD], total[FOLD];
  vec4 low[FOLD], high[FOLD];  // outputs of this invocation's eight values
};

float sumOfGroup(float value) {
  [[unroll]] for (int distance = 1; distance < LANES; distance *= 2) value += subgroupShuffleXor(value, distance);
  return value;
}

// Texel `texel` of the keys and values at `index` and every GROUPS-th after it. Up to the window's sinks an index is a key;
// from there on keys lie window.y further.
void readKeys(int index, int end, int cache, ivec2 window, int texel, out Entry entries[PASSES]) {
  [[unroll]] for (int i = 0; i < PASSES; i++) {
    const int known = clamp(index + i * GROUPS, 0, max(end - 1, 0));
    const int row = cache + (known < window.x ? known : known + window.y);
    entries[i].key = keys[row * TEXELS + texel];
    entries[i].value = values[row * TEXELS + texel];
#ifdef KV_Q8
    const int factor = int(p.heads / p.group) * int(p.capacity) * TEXELS + row / 2;
    entries[i].keyFactor = uintBitsToFloat(keys[factor][row % 2]);
    entries[i].valueFactor = uintBitsToFloat(values[factor][row % 2]);
#endif
  }
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

// The weights of a head's parts, found by a subgroup.
void weighParts(int f, int base, int splits) {
  const int lane = int(gl_SubgroupInvocationID), shares = (MAX_SPLITS + SUBGROUP - 1) / SUBGROUP;
  vec2 own[shares];
  float top = MASKED, total = 0;
  for (int i = 0; i < shares; i++) {
    const int part = lane + i * SUBGROUP;
    own[i] = part < splits ? partials[base + (f * splits + part) * PARTIAL + OUTPUTS].xy : vec2(MASKED, 0);
    top = max(top, own[i].x);
  }
  top = subgroupMax(top);
  for (int i = 0; i < shares; i++) {
    own[i].x = exp2(own[i].x - top);
    total += own[i].x * own[i].y;
  }
  total = max(subgroupAdd(total), 1e-37);
  for (int i = 0; i < shares; i++) weights[f * MAX_SPLITS + lane + i * SUBGROUP] = own[i].x / total;
}

// Joins the parts of heads head0 to head0 + FOLD - 1 of a row; `base` is the first of them in partials.
void joinSplits(int outputRow, int head0, int base, int splits) {
  const int thread = int(gl_LocalInvocationID.x), subgroup = int(gl_SubgroupID);
  for (int f = subgroup; f < FOLD; f += SUBGROUPS) weighParts(f, base, splits);
  barrier();
  for (int t = thread; t < SHARES * FOLD * OUTPUTS; t += THREADS) {
    const int task = t % (FOLD * OUTPUTS), f = task / OUTPUTS, from = base + f * splits * PARTIAL + task % OUTPUTS;
    vec4 sum = vec4(0);
    for (int i = t / (FOLD * OUTPUTS); i < splits; i += SHARES)
      sum += partials[from + i * PARTIAL] * weights[f * MAX_SPLITS + i];
    joined[t] = sum;
  }
  barrier();
  for (int task = thread; task < FOLD * OUTPUTS; task += THREADS) {
    vec4 sum = vec4(0);
    for (int i = 0; i < SHARES; i++) sum += joined[i * FOLD * OUTPUTS + task];
    y[(outputRow * int(p.heads) + head0) * OUTPUTS + task] = sum;
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
  Entry entries[PASSES];
  int first = begin + subgroup * STEP;
  const int cache = kv * int(p.capacity);
  const ivec2 window = ivec2(sinks, read.y - sinks);
  readKeys(first + group, end, cache, window, texel, entries);
  while (first < end) {
    const int next = first + SUBGROUPS * STEP;
    Entry nextEntries[PASSES];
    if (next < end) readKeys(next + group, end, cache, window, texel, nextEntries);
    [[unroll]] for (int f = 0; f < FOLD; f++) {
      float score[PASSES], top = s.best[f];
      [[unroll]] for (int i = 0; i < PASSES; i++) {
        score[i] = sumOfGroup(dot(lowFour(entries[i].key), queryLow[f]) + dot(highFour(entries[i].key), queryHigh[f]));
#ifdef KV_Q8
        score[i] *= entries[i].keyFactor;
#endif
        if (first + i * GROUPS + group >= end) score[i] = MASKED;
        top = max(top, score[i]);
      }
      const float alpha = exp2(s.best[f] - top);
      s.best[f] = top;
      s.total[f] *= alpha;
      s.low[f] *= alpha;
      s.high[f] *= alpha;
      [[unroll]] for (int i = 0; i < PASSES; i++) {
        const float weight = first + i * GROUPS + group < end ? exp2(score[i] - top) : 0.0;
        s.total[f] += weight;
#ifdef KV_Q8
        const float scaled = weight * entries[i].valueFactor;
#else
        const float scaled = weight;
#endif
        s.low[f] += scaled * lowFour(entries[i].value);
        s.high[f] += scaled * highFour(entries[i].value);
      }
    }
    first = next;
    entries = nextEntries;
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
  // Every invocation's results before the count, and the count before whatever the last workgroup reads.
  memoryBarrierBuffer();
  barrier();
  const int arrival = ownRow * (int(p.heads) / FOLD) + int(gl_WorkGroupID.y);
  if (thread == 0) {
    memoryBarrierBuffer();
    isLast = atomicAdd(arrivals[arrival], 1u) == uint(splits - 1);
    if (isLast) arrivals[arrival] = 0;
    memoryBarrierBuffer();
  }
  barrier();
  if (!isLast) return;
  memoryBarrierBuffer();
  joinSplits(row, head0, base, splits);
}
