// Into how many parts the keys of tiled attention are cut, so that a device with many processors has enough
// to do where few rows read many keys. The kernels and the prediction of their dispatches ask the same rule.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace orthros::cost {

struct AttentionTiling {
  uint32_t tileRows = 0;  // of a workgroup; 0: the kernel does not split
  uint32_t headsPerWorkgroup = 1;
  uint32_t wantedWorkgroups = 0;
  uint32_t keysPerSplit = 0;  // at least
  uint32_t maxSplits = 1;
};

// For `rows` rows of `heads` query heads that read `keysPerRow` keys on average.
inline uint32_t attentionSplits(const AttentionTiling& tiling, uint32_t rows, uint32_t heads,
                                uint64_t keysPerRow) {
  if (tiling.tileRows == 0 || rows == 0) return 1;
  const uint32_t tiles = (rows + tiling.tileRows - 1) / tiling.tileRows;
  const uint32_t workgroups = tiles * (heads / tiling.headsPerWorkgroup);
  const uint64_t useful = std::max<uint64_t>(1, keysPerRow / tiling.keysPerSplit);
  const uint64_t wanted = std::max(1u, tiling.wantedWorkgroups / workgroups);
  const auto splits = static_cast<uint32_t>(std::min({useful, wanted, uint64_t{tiling.maxSplits}}));
  // Few different numbers, so that what was recorded for one depth serves many: 1, 2, 3, 4, 6, 8, 12, 16, ...
  const uint32_t power = std::bit_floor(splits);
  return splits >= power + power / 2 ? power + power / 2 : power;
}

}  // namespace orthros::cost
