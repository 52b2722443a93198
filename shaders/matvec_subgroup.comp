#version 450
// Matrix product of few rows on GPUs, by subgroups. There a product of few rows is a matter of latency, not of
// arithmetic: everything an invocation needs is asked for at once, the norm's factor, which is the same for a whole row,
// is applied to the sum, and the code is short, because it is fetched anew for every dispatch (unrolled four times, it
// was three times as large and took 1.4 to 1.7 times as long on an H200).
//
// Mapping   a workgroup owns LANES lanes of a panel, four columns each. An invocation owns a lane and every so many-th
//           chunk of K; these parts are summed by shuffles within a subgroup and through shared memory between them.
// Dispatch  (columns / 4 / LANES)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "interface/layout.glsl"
#include "interface/projection.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const int THREADS = 256;  // at least ROWS * LANES
layout(constant_id = 1) const int SUBGROUP = 32;
layout(constant_id = 2) const int LANES = 8;  // 2, 4 or 8
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) readonly buffer Inputs { vec4 x[]; };    // [row][inner]
layout(binding = 1) readonly buffer Weights { uvec4 w[]; };  // see interface/layout.glsl
layout(binding = 2) readonly buffer Scales { uvec4 scales[]; };
#if EPILOGUE == EPILOGUE_SWIGLU
layout(binding = 3) writeonly buffer Outputs { vec2 y[]; };  // [row][columns / 2]
#else
layout(binding = 3) buffer Outputs { vec4 y[]; };  // [row][columns]
#endif
#if EPILOGUE == EPILOGUE_QKV
void storeQuery(int at, vec4 value) { y[at] = value; }
#include "qkv_store_buffers.glsl"
#endif
#ifdef NORM
layout(binding = 8) readonly buffer Gain { vec4 gain[]; };  // [inner], 0 beyond width
#endif

#if FORMAT == FORMAT_F32
const int CHUNK = 4;
#elif FORMAT == FORMAT_F16
const int CHUNK = 8;
#elif FORMAT == FORMAT_Q8
const int CHUNK = 16;
#else
const int CHUNK = 32;
#endif
const int SUBGROUPS = THREADS / SUBGROUP;
shared vec4 sums[SUBGROUPS * ROWS * LANES];  // [subgroup][row][lane]
shared float squares[SUBGROUPS * ROWS];

#include "biased_byte.glsl"

// Four of the chunk's weights, before scaling.
vec4 expandFour(uvec4 v, int four) {
#if FORMAT == FORMAT_F32
  return uintBitsToFloat(v);
#elif FORMAT == FORMAT_F16
  return vec4(unpackHalf2x16(v[four * 2]), unpackHalf2x16(v[four * 2 + 1]));
#elif FORMAT == FORMAT_Q8
  return vec4(biasedByte(v[four]), biasedByte(v[four] >> 8), biasedByte(v[four] >> 16), biasedByte(v[four] >> 24));
#else
  const uint bits = v[four / 2] >> (16 * (four % 2));
  return vec4(bits & 15u, (bits >> 4) & 15u, (bits >> 8) & 15u, (bits >> 12) & 15u);
#endif
}

// What the weights of block `block` and `inputs` give: `product` of the weights before scaling, `sum` of the inputs.
float scaled(float product, float sum, uvec4 scale, int block) {
#if FORMAT == FORMAT_Q8
  return product * uintBitsToFloat(scale[block]);
#elif FORMAT == FORMAT_Q4
  const vec2 affine = unpackHalf2x16(scale[block]);
  return product * affine.x + sum * affine.y;
#else
  return product;
#endif
}

void main() {
  const int thread = int(gl_LocalInvocationID.x), subgroup = int(gl_SubgroupID), lane = int(gl_SubgroupInvocationID);
  const int own = int(gl_WorkGroupID.x) * LANES, panelLane = own % PANEL_LANES + lane % LANES, panel = own / PANEL_LANES;
  const int parts = THREADS / LANES, part = subgroup * (SUBGROUP / LANES) + lane / LANES;
  const int inner = int(p.inner), chunks = inner / CHUNK;
  // The epilogue of row `row` and lane `own + thread % LANES` is this invocation's; what it needs is asked for early.
  const int row = thread / LANES, ownLane = own + thread % LANES;
  const bool finishes = row < int(p.rows);
#if EPILOGUE == EPILOGUE_QKV
  QkvPlace place;
  if (finishes) place = qkvPlace(row, ownLane * 4);
#elif EPILOGUE != EPILOGUE_SWIGLU
  const int at = (int(p.yRow) + row) * int(p.columns) / 4 + ownLane;
#if EPILOGUE == EPILOGUE_RESIDUAL
  const vec4 old = finishes ? y[at] : vec4(0);
#endif
#endif

  vec4 acc[ROWS];
  float square[ROWS];
  [[unroll]] for (int m = 0; m < ROWS; m++) acc[m] = vec4(0), square[m] = 0;
  for (int chunk = part; chunk < chunks; chunk += parts) {
    uvec4 v[PANEL_BLOCKS];
    [[unroll]] for (int b = 0; b < PANEL_BLOCKS; b++)
      v[b] = w[((panel * chunks + chunk) * PANEL_BLOCKS + b) * PANEL_LANES + panelLane];
    uvec4 scale = uvec4(0);
#if FORMAT == FORMAT_Q8 || FORMAT == FORMAT_Q4
    scale = scales[(panel * (inner / SCALE_GROUP) + chunk * CHUNK / SCALE_GROUP) * PANEL_LANES + panelLane];
#endif
    [[unroll]] for (int m = 0; m < ROWS; m++) {
      vec4 products = vec4(0);
      float sum = 0;
      [[unroll]] for (int i = 0; i < CHUNK / 4; i++) {
        const int k = chunk * (CHUNK / 4) + i;
        vec4 inputs = x[(int(p.xRow) + m) * (inner / 4) + k];
#ifdef NORM
        square[m] += dot(inputs, inputs);
        inputs *= gain[k];
#endif
        [[unroll]] for (int b = 0; b < PANEL_BLOCKS; b++) products[b] += dot(expandFour(v[b], i), inputs);
        sum += dot(inputs, vec4(1));
      }
      [[unroll]] for (int b = 0; b < PANEL_BLOCKS; b++) acc[m][b] += scaled(products[b], sum, scale, b);
    }
  }
  [[unroll]] for (int m = 0; m < ROWS; m++) {
    [[unroll]] for (int distance = LANES; distance < SUBGROUP; distance *= 2) {
      acc[m] += subgroupShuffleXor(acc[m], distance);
      square[m] += subgroupShuffleXor(square[m], distance);
    }
    if (lane < LANES) sums[(subgroup * ROWS + m) * LANES + lane] = acc[m];
    if (lane == 0) squares[subgroup * ROWS + m] = square[m];
  }
  barrier();
  if (row >= ROWS || !finishes) return;
  vec4 product = vec4(0);
  float total = 0;
  for (int s = 0; s < SUBGROUPS; s++) {
    product += sums[(s * ROWS + row) * LANES + thread % LANES];
    total += squares[s * ROWS + row];
  }
#ifdef NORM
  product *= inversesqrt(total / float(p.width) + p.epsilon);
#endif
#if EPILOGUE == EPILOGUE_STORE
  y[at] = product;
#elif EPILOGUE == EPILOGUE_RESIDUAL
  y[at] = old + product;
#elif EPILOGUE == EPILOGUE_SWIGLU
  const vec2 gate = product.xy;
  y[(int(p.yRow) + row) * int(p.columns) / 4 + ownLane] = gate / (1.0 + exp(-gate)) * product.zw;
#else
  storeQkv(row, ownLane * 4, product, place);
#endif
}
