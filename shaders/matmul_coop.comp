#version 450
// Matrix product on cooperative matrices: product[row][column] = sum over k of x[row][k] w[column][k], x in f16.
//
// Mapping   a workgroup owns TILE_ROWS x TILE_COLUMNS, a subgroup of it SUB_ROWS rows x one panel. STEP inputs at a time,
//           x and the expanded weights lie in shared memory as f16, padded against bank conflicts; the next step's data
//           is read into registers meanwhile.
// Dispatch  (rows / TILE_ROWS rounded up, columns / TILE_COLUMNS rounded up): row tiles are neighbours in time, so that
//           weights are read from memory once
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "cooperative.glsl"
#include "interface/layout.glsl"
#include "interface/projection.glsl"

const int STEP = 64, GROUP = 16;  // weights that an invocation expands at a time
const int SUBGROUPS = (TILE_ROWS / SUB_ROWS) * (TILE_COLUMNS / PANEL_COLUMNS);
layout(local_size_x = TILE_ROWS / SUB_ROWS * TILE_COLUMNS) in;
layout(push_constant) uniform Push { ProjectionPush p; };
layout(binding = 0) readonly buffer Inputs { uvec4 x[]; };    // [row][inner] f16
layout(binding = 1) readonly buffer Weights { uvec4 w[]; };   // see interface/layout.glsl
layout(binding = 2) readonly buffer Scales { uint scales[]; };
#if EPILOGUE == EPILOGUE_SWIGLU
layout(binding = 3) buffer Outputs { float16_t y[]; };        // [row][columns / 2]
#elif EPILOGUE == EPILOGUE_QKV
layout(binding = 3) writeonly buffer Outputs { uvec2 y[]; };  // [row][head][headSize] f16
void storeQuery(int at, vec4 value);
#include "qkv_store_buffers.glsl"
#else
layout(binding = 3) buffer Outputs { float y[]; };            // [row][columns]
#endif

const int THREADS = SUBGROUPS * 32;
const int PITCH = STEP / 8 + 1;  // uvec4 per row or column in shared memory
shared uvec4 xs[TILE_ROWS * PITCH];
shared uvec4 ws[TILE_COLUMNS * PITCH];

const int X_READS = TILE_ROWS * STEP / 8 / THREADS;
const int W_GROUPS = TILE_COLUMNS * STEP / GROUP / THREADS;
#if FORMAT == FORMAT_F32
#define GROUP_TEXELS 4
#elif FORMAT == FORMAT_F16
#define GROUP_TEXELS 2
#else
#define GROUP_TEXELS 1
#endif
uvec4 nextX[X_READS];
uvec4 nextW[W_GROUPS * GROUP_TEXELS];
uint nextScale[W_GROUPS];

// Where group `i` of an invocation lies: its column in the tile and its place in the step.
ivec2 groupPlace(int i, int thread) {
  const int t = thread + i * THREADS, within = t / PANEL_COLUMNS;
  return ivec2(within / (STEP / GROUP) * PANEL_COLUMNS + t % PANEL_COLUMNS, within % (STEP / GROUP));
}

// The block and lane of a panel that hold its column. For SwiGLU the 16 gates come first, then the 16 ups: a gate and
// its up then are the same element of two neighbouring fragments.
ivec2 blockAndLane(int column) {
#if EPILOGUE == EPILOGUE_SWIGLU
  return ivec2(column / 16 * 2 + column % 2, column % 16 / 2);
#else
  return ivec2(column % PANEL_BLOCKS, column / PANEL_BLOCKS);
#endif
}

void readX(int row0, int k, int thread) {
  const int inner = int(p.inner);
  [[unroll]] for (int i = 0; i < X_READS; i++) {
    const int t = thread + i * THREADS, row = min(row0 + t / (STEP / 8), int(p.rows) - 1), at = k + t % (STEP / 8) * 8;
    nextX[i] = at < inner ? x[((int(p.xRow) + row) * inner + at) / 8] : uvec4(0);
  }
}

void readW(int column0, int k0, int thread) {
  const int inner = int(p.inner), lastPanel = int(p.columns) / PANEL_COLUMNS - 1;
  [[unroll]] for (int i = 0; i < W_GROUPS; i++) {
    const ivec2 place = groupPlace(i, thread);
    const int panel = min((column0 + place.x) / PANEL_COLUMNS, lastPanel), k = min(k0 + place.y * GROUP, inner - GROUP);
    const ivec2 at = blockAndLane(place.x % PANEL_COLUMNS);
#if FORMAT == FORMAT_Q4
    const int chunk = 32;
#else
    const int chunk = GROUP / GROUP_TEXELS;
#endif
    const int texel = ((panel * (inner / chunk) + k / chunk) * PANEL_BLOCKS + at.x) * PANEL_LANES + at.y;
    [[unroll]] for (int j = 0; j < GROUP_TEXELS; j++)
      nextW[i * GROUP_TEXELS + j] = w[texel + j * PANEL_BLOCKS * PANEL_LANES];
#if FORMAT == FORMAT_Q4
    if (k % 32 != 0) nextW[i].xy = nextW[i].zw;
#endif
#if FORMAT == FORMAT_Q8 || FORMAT == FORMAT_Q4
    nextScale[i] = scales[((panel * (inner / SCALE_GROUP) + k / SCALE_GROUP) * PANEL_LANES + at.y) * PANEL_BLOCKS + at.x];
#endif
  }
}

#include "biased_byte.glsl"

// Two neighbouring weights of group `i` as f16.
uint expandPair(int i, int pair) {
#if FORMAT == FORMAT_F32
  const vec4 v = uintBitsToFloat(nextW[i * GROUP_TEXELS + pair / 2]);
  return packHalf2x16(pair % 2 == 0 ? v.xy : v.zw);
#elif FORMAT == FORMAT_F16
  return nextW[i * GROUP_TEXELS + pair / 4][pair % 4];
#elif FORMAT == FORMAT_Q8
  const uint v = nextW[i][pair / 2] >> (16 * (pair % 2));
  return packHalf2x16(vec2(biasedByte(v), biasedByte(v >> 8)) * uintBitsToFloat(nextScale[i]));
#else
  const vec2 affine = unpackHalf2x16(nextScale[i]);
  const uint v = nextW[i][pair / 4] >> (8 * (pair % 4));
  return packHalf2x16(vec2(v & 15u, (v >> 4) & 15u) * affine.x + affine.y);
#endif
}

void place(int thread) {
  [[unroll]] for (int i = 0; i < X_READS; i++) {
    const int t = thread + i * THREADS;
    xs[t / (STEP / 8) * PITCH + t % (STEP / 8)] = nextX[i];
  }
  [[unroll]] for (int i = 0; i < W_GROUPS; i++) {
    const ivec2 at = groupPlace(i, thread);
    [[unroll]] for (int half_ = 0; half_ < 2; half_++) {
      uvec4 v;
      [[unroll]] for (int j = 0; j < 4; j++) v[j] = expandPair(i, half_ * 4 + j);
      ws[at.x * PITCH + at.y * 2 + half_] = v;
    }
  }
}

const int ROW_FRAGMENTS = SUB_ROWS / FRAGMENT, COLUMN_FRAGMENTS = PANEL_COLUMNS / FRAGMENT;

#if EPILOGUE == EPILOGUE_QKV
void storeQuery(int at, vec4 value) { y[at] = halves(value); }

// Stores 16 rows of a panel, spread out in the subgroup's part of xs so that an invocation sees four neighbours.
void storeRows(SUM products[COLUMN_FRAGMENTS], int row0, int column0) {
  const int own = int(gl_SubgroupID) * FRAGMENT * PITCH, lane = int(gl_SubgroupInvocationID);
  [[unroll]] for (int n = 0; n < COLUMN_FRAGMENTS; n++)
    coopMatStore(products[n], xs, own + n * FRAGMENT / 4, PITCH, ROW_MAJOR);
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  [[unroll]] for (int i = 0; i < FRAGMENT / 4; i++) {
    const int row = lane / 8 + i * 4, four = lane % 8;
    if (row0 + row >= int(p.rows)) continue;
    const vec4 product = uintBitsToFloat(xs[own + row * PITCH + four]);
    const int column = column0 + four * 4;
    storeQkv(row0 + row, column, product, qkvPlace(row0 + row, column));
  }
  subgroupBarrier();
}
#endif

void main() {
  const int thread = int(gl_LocalInvocationID.x), subgroup = int(gl_SubgroupID), inner = int(p.inner);
  const int row0 = int(gl_WorkGroupID.x) * TILE_ROWS, column0 = int(gl_WorkGroupID.y) * TILE_COLUMNS;
  const int subRow = subgroup % (TILE_ROWS / SUB_ROWS) * SUB_ROWS;
  const int subColumn = subgroup / (TILE_ROWS / SUB_ROWS) * PANEL_COLUMNS;
  SUM sums[ROW_FRAGMENTS * COLUMN_FRAGMENTS];
  [[unroll]] for (int i = 0; i < ROW_FRAGMENTS * COLUMN_FRAGMENTS; i++) sums[i] = SUM(0.0);
  readX(row0, 0, thread);
  readW(column0, 0, thread);
  for (int k = 0; k < inner; k += STEP) {
    place(thread);
    barrier();
    if (k + STEP < inner) {
      readX(row0, k + STEP, thread);
      readW(column0, k + STEP, thread);
    }
    [[unroll]] for (int part = 0; part < STEP / FRAGMENT; part++) {
      LEFT left[ROW_FRAGMENTS];
      RIGHT right[COLUMN_FRAGMENTS];
      [[unroll]] for (int m = 0; m < ROW_FRAGMENTS; m++)
        coopMatLoad(left[m], xs, (subRow + m * FRAGMENT) * PITCH + part * 2, PITCH, ROW_MAJOR);
      [[unroll]] for (int n = 0; n < COLUMN_FRAGMENTS; n++)
        coopMatLoad(right[n], ws, (subColumn + n * FRAGMENT) * PITCH + part * 2, PITCH, COLUMN_MAJOR);
      [[unroll]] for (int m = 0; m < ROW_FRAGMENTS; m++)
        [[unroll]] for (int n = 0; n < COLUMN_FRAGMENTS; n++)
          sums[m * COLUMN_FRAGMENTS + n] = coopMatMulAdd(left[m], right[n], sums[m * COLUMN_FRAGMENTS + n]);
    }
    barrier();
  }
  if (column0 + subColumn >= int(p.columns)) return;
  // Whole fragments are stored: rows up to the padding of y receive something.
  [[unroll]] for (int m = 0; m < ROW_FRAGMENTS; m++) {
    const int row = row0 + subRow + m * FRAGMENT;
    if (row >= int(p.rows)) break;
    const uint at = (p.yRow + row) * p.columns + column0 + subColumn;
#if EPILOGUE == EPILOGUE_QKV
    SUM products[COLUMN_FRAGMENTS];
    [[unroll]] for (int n = 0; n < COLUMN_FRAGMENTS; n++) products[n] = sums[m * COLUMN_FRAGMENTS + n];
    storeRows(products, row, column0 + subColumn);
#elif EPILOGUE == EPILOGUE_SWIGLU
    SUM gate = sums[m * COLUMN_FRAGMENTS];
    SUM up = sums[m * COLUMN_FRAGMENTS + 1];
    [[unroll]] for (int i = 0; i < gate.length(); i++) gate[i] = gate[i] / (1.0 + exp(-gate[i])) * up[i];
    coopMatStore(HALF_SUM(gate), y, at / 2, p.columns / 2, ROW_MAJOR);
#else
    [[unroll]] for (int n = 0; n < COLUMN_FRAGMENTS; n++) {
      SUM product = sums[m * COLUMN_FRAGMENTS + n];
#if EPILOGUE == EPILOGUE_RESIDUAL
      SUM old;
      coopMatLoad(old, y, at + n * FRAGMENT, p.columns, ROW_MAJOR);
      product += old;
#endif
      coopMatStore(product, y, at + n * FRAGMENT, p.columns, ROW_MAJOR);
    }
#endif
  }
}
