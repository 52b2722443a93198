// Device memory that runs out at a chosen allocation.
#pragma once

#include <functional>
#include <string>

#include "engine/vulkan/device.hpp"

namespace orthros::test {

struct RefusedAllocation {
  int seen = 0;      // allocations asked for
  int failing = 0;   // the number of the one to refuse, from 1; 0 refuses none
  std::string name;  // of the buffer that was refused

  // For DeviceOptions::mayAllocate; this object must outlive the device.
  std::function<bool(const vulkan::AllocationRequest&)> hook() {
    return [this](const vulkan::AllocationRequest& request) {
      ++seen;
      // An allocation that is tried again in other memory is refused again.
      const bool again = failing > 0 && seen == failing + 1 && request.name == name;
      if (seen != failing && !again) return true;
      name = request.name;
      return false;
    };
  }
};

}  // namespace orthros::test
