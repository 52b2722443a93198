// A small generator of pseudo-random numbers whose sequence is the same on every platform and compiler.
// Algorithm: xoshiro256** seeded by splitmix64 (Blackman and Vigna, public domain).
#pragma once

#include <bit>
#include <cstdint>

namespace orthros::session {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) word = splitMix(seed);
  }

  uint64_t next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1), in steps of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static uint64_t splitMix(uint64_t& seed) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  uint64_t state_[4];
};

}  // namespace orthros::session
