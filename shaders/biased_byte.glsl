// The 8-bit value, stored as value + 128, in the low byte of `bits`: placed in the mantissa of 2^23, which is cheaper than
// an integer conversion.
float biasedByte(uint bits) { return uintBitsToFloat((bits & 255u) | 0x4B000000u) - 8388736.0; }
