// RoPE of two pairs of values; `angles` are (cos, sin, cos, sin). Pairs are neighbours: packing puts other layouts into
// this order.
vec4 rotate(vec4 v, vec4 angles) {
  return vec4(v.x * angles.x - v.y * angles.y, v.x * angles.y + v.y * angles.x,  //
              v.z * angles.z - v.w * angles.w, v.z * angles.w + v.w * angles.z);
}
