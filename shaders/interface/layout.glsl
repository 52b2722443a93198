// The layout of weights on a device, for the shaders and for the code that packs them.
//
// A matrix W[N][K] (N outputs, K inputs, both padded to multiples of 32 with zeros) is cut into panels of 32 columns
// (outputs). A panel is one contiguous stream over K:
//     [N/32][K/c][4 blocks][8 lanes][16 bytes],  c weights in 16 bytes: f32 4, f16 8, 8-bit 16, 4-bit 32
// Column n of a panel sits in lane n / 4, block n % 4, so that one lane ends with four neighbouring outputs.
//     8-bit   stored biased (q + 128), scale f32 per 32 weights
//     4-bit   value = q * scale + minimum, scale and minimum f16 per 32 weights, packed in one u32
// Scales: [N/32][K/32][8 lanes][4 blocks] of 4 bytes.
#ifndef ORTHROS_INTERFACE_LAYOUT
#define ORTHROS_INTERFACE_LAYOUT
#include "shared.glsl"

#define FORMAT_F32 0
#define FORMAT_F16 1
#define FORMAT_Q8 2
#define FORMAT_Q4 3

#define PANEL_COLUMNS 32
#define PANEL_BLOCKS 4
#define PANEL_LANES 8
#define SCALE_GROUP 32

// Rows of every activation buffer are padded to this many.
#define ROW_PADDING 128
#endif
