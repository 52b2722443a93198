// target[i] = source[i] * SCALE + addend, for tests of the Vulkan runtime.
// TEXEL: source and target are texel buffers.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint SCALE = 1;

#ifdef TEXEL
layout(binding = 0) uniform usamplerBuffer source;
layout(binding = 1, r32ui) uniform writeonly uimageBuffer target;
uint load(uint i) { return texelFetch(source, int(i)).x; }
void store(uint i, uint value) { imageStore(target, int(i), uvec4(value)); }
#else
layout(std430, binding = 0) readonly buffer Source { uint source[]; };
layout(std430, binding = 1) writeonly buffer Target { uint target[]; };
uint load(uint i) { return source[i]; }
void store(uint i, uint value) { target[i] = value; }
#endif

layout(push_constant) uniform Push {
  uint count;
  uint addend;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) store(i, load(i) * SCALE + addend);
}
