#version 450
// The likeliest token of each row: the index of the largest of `count` finite logits, the lowest one among equals; ~0 where
// none is finite. Workgroups take a part each, and the last one of a row to finish compares their results.
// Dispatch  (1, rows, workgroups), at most THREADS workgroups
#extension GL_GOOGLE_include_directive : require
#include "interface/rows.glsl"
const int THREADS = 256;
layout(local_size_x = THREADS) in;
layout(push_constant) uniform Push { ArgmaxPush p; };
layout(binding = 0) readonly buffer Logits { vec4 logits[]; };  // [row][stride]
layout(binding = 1) coherent buffer Candidates { uvec2 candidates[]; };  // [row][workgroup] (bits of the logit, index)
layout(binding = 2) coherent buffer Arrivals { uint arrivals[]; };       // [row] workgroups done; 0 before and after
layout(binding = 3) writeonly buffer Tokens { uint tokens[]; };
const uint NONE = ~0u;
shared float values[THREADS];
shared uint indices[THREADS];
shared bool isLast;

bool better(float value, uint index, float otherValue, uint otherIndex) {
  if (index == NONE) return false;
  return otherIndex == NONE || value > otherValue || (value == otherValue && index < otherIndex);
}

// The best of the workgroup's candidates ends in values[0] and indices[0].
void reduceBest(float value, uint index) {
  const int thread = int(gl_LocalInvocationID.x);
  barrier();
  values[thread] = value;
  indices[thread] = index;
  for (int half_ = THREADS / 2; half_ > 0; half_ /= 2) {
    barrier();
    const int other = thread + half_;
    if (thread < half_ && better(values[other], indices[other], values[thread], indices[thread])) {
      values[thread] = values[other];
      indices[thread] = indices[other];
    }
  }
  barrier();
}

void main() {
  const int thread = int(gl_LocalInvocationID.x), stride = int(gl_NumWorkGroups.z) * THREADS;
  const int row = int(gl_WorkGroupID.y), candidate0 = row * int(gl_NumWorkGroups.z);
  float value = 0;
  uint index = NONE;
  for (int i = int(gl_WorkGroupID.z) * THREADS + thread; i * 4 < int(p.count); i += stride) {
    const vec4 four = logits[row * int(p.stride) + i];
    for (int j = 0; j < 4; j++) {
      const uint at = uint(i * 4 + j);
      const bool finite = !isnan(four[j]) && !isinf(four[j]);
      if (at < p.count && finite && better(four[j], at, value, index)) {
        value = four[j];
        index = at;
      }
    }
  }
  reduceBest(value, index);
  if (thread == 0) {
    candidates[candidate0 + int(gl_WorkGroupID.z)] = uvec2(floatBitsToUint(values[0]), indices[0]);
    memoryBarrierBuffer();
    isLast = atomicAdd(arrivals[row], 1u) == gl_NumWorkGroups.z - 1u;
    if (isLast) arrivals[row] = 0;
    memoryBarrierBuffer();
  }
  barrier();
  if (!isLast) return;
  memoryBarrierBuffer();
  uvec2 candidate = uvec2(0, NONE);
  if (thread < int(gl_NumWorkGroups.z)) candidate = candidates[candidate0 + thread];
  reduceBest(uintBitsToFloat(candidate.x), candidate.y);
  if (thread == 0) tokens[int(p.target) + row] = indices[0];
}
