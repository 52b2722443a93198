// The kernel flavours that a test runs on a device.
#pragma once

#include <vector>

#include "engine/kernels/kernel_library.hpp"

namespace orthros::test {

// The device's best flavour, and the portable one.
inline std::vector<kernels::Flavour> kernelFlavours(const vulkan::DeviceInfo& info) {
  const kernels::Flavour best = kernels::KernelLibrary::bestFlavour(info);
  if (best == kernels::Flavour::portable) return {best};
  return {best, kernels::Flavour::portable};
}

}  // namespace orthros::test
