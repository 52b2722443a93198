// Repacks tensors of a file into device matrices, merging an adapter on the way. Runs on all cores.
#pragma once

#include <cstddef>
#include <span>

#include "engine/kernels/device_format.hpp"
#include "engine/model/adapter.hpp"
#include "engine/model/matrix_source.hpp"
#include "engine/model/precision.hpp"

namespace orthros::model {

// The device format of a matrix: see WeightPrecision. A matrix that an adapter changes never falls below 8
// bits (measured: merging into 4 bits halves recall at long range).
kernels::DeviceFormat deviceFormatFor(const MatrixSource& source, WeightPrecision precision,
                                      const Adapter* adapter);

// Fills zeroed `weights` and `scales` (sizes: kernels::weightBytes, scaleBytes). 4-bit and 8-bit files whose
// groups the device format can express are carried over exactly; everything else is rounded to nearest.
void repack(const MatrixSource& source, kernels::DeviceFormat format, const Adapter* adapter,
            std::span<std::byte> weights, std::span<std::byte> scales);

}  // namespace orthros::model
