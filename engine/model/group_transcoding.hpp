// Block formats whose groups of 32 weights a device format expresses exactly: no rounding on the way.
#pragma once

#include <cstddef>

#include "engine/gguf/block_format.hpp"
#include "engine/kernels/device_format.hpp"
#include "engine/kernels/packing.hpp"

namespace orthros::model {

// Reads group `group` (32 weights) of a tensor row that begins at `row`.
using GroupReader = kernels::AffineGroup (*)(const std::byte* row, size_t group);

// The reader that carries `file` over to `device` exactly, or null. (Q4_K: its scales are products, rounded
// to f16.)
GroupReader exactGroupReader(gguf::Format file, kernels::DeviceFormat device);

}  // namespace orthros::model
