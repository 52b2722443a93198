// The kernel flavours that a test runs on a device.
#pragma once

#include <vector>

#include "engine/kernels/kernel_library.hpp"

namespace orthros::test {

// Every flavour that the device runs, its best one first.
inline std::vector<kernels::Flavour> kernelFlavours(const vulkan::DeviceInfo& info) {
  using kernels::Flavour;
  std::vector<Flavour> flavours = {kernels::KernelLibrary::bestFlavour(info)};
  for (const Flavour flavour : {Flavour::subgroups, Flavour::portable})
    if (flavour != flavours.front() && kernels::KernelLibrary::supports(flavour, info))
      flavours.push_back(flavour);
  return flavours;
}

}  // namespace orthros::test
