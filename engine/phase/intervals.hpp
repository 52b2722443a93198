// Which keys a row reads, as intervals. The one place of the program that states the phase rule: kernels, the
// cost model and every picture take these numbers and never derive them again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/phase/plan.hpp"

namespace orthros::phase {

// Row i reads the keys [0, sinkEnd) and [windowBegin, end), in this order, with sinkEnd <= windowBegin < end
// = i + 1. A full row has sinkEnd = windowBegin = 0. The layout is that of shaders/interface/rows.glsl.
struct KeyIntervals {
  uint32_t sinkEnd = 0;
  uint32_t windowBegin = 0;
  uint32_t end = 0;
  uint32_t keys() const { return sinkEnd + (end - windowBegin); }
  bool contains(uint32_t key) const { return key < sinkEnd || (key >= windowBegin && key < end); }
  bool operator==(const KeyIntervals&) const = default;
};

// The keys that the row at `position` reads under `attention`.
KeyIntervals keysOfRow(const LayerAttention& attention, uint32_t position);

// The smallest interval pair that covers every key read by any of the rows; sinkEnd and windowBegin meet
// (both become 0) where a row reads everything. `rows` must not be empty.
KeyIntervals unionOf(std::span<const KeyIntervals> rows);

// Allowed (query, key) pairs of the rows [begin, end), in closed form: constant time per call.
uint64_t countPairs(const LayerAttention& attention, uint32_t begin, uint32_t end);

}  // namespace orthros::phase
