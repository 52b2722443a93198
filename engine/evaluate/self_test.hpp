// Whether a device computes right: small generated models, whose exact results come from engine/reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/vulkan/device.hpp"

namespace orthros::evaluate {

struct SelfTestResult {
  std::string name;           // "Q4_1, orthros"
  double largestError = 0.0;  // of all logits, against double precision; infinite where one is not a number
  double allowedError = 0.0;
  bool passed() const { return largestError <= allowedError; }
};

// Every device format under phase-aware attention, f32 and the 4-bit format under full attention too. Rows
// come in batches of many, of a few, and one at a time. A wrong result is no error of the call. Progress:
// stage "self-test", in tests. Errors: those of the device, cancelled.
Result<std::vector<SelfTestResult>> runSelfTest(const std::shared_ptr<vulkan::Device>& device,
                                                const ProgressCallback& progress, const CancelToken& cancel);

bool passed(const std::vector<SelfTestResult>& results);
nlohmann::json toJson(const std::vector<SelfTestResult>& results);

}  // namespace orthros::evaluate
