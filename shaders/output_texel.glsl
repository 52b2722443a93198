// The texel of a shader's output y: four values, f32 or with Y_F16 f16.
#ifdef Y_F16
#define Y_TEXEL rgba16f
#else
#define Y_TEXEL rgba32f
#endif
