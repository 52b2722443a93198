// What to load: a model, an adapter, a plan and a device, as a person names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.hpp"
#include "engine/model/precision.hpp"

namespace orthros::session {

struct SetUp {
  std::filesystem::path model;
  std::optional<std::filesystem::path> adapter;
  std::string plan;        // preset name, path of a plan file, or empty: the adapter's or model's own plan
  std::string deviceUuid;  // empty: the best device
  uint32_t contextTokens = 0;  // 0: the model's own context, or as much of it as the memory budget allows
  model::WeightPrecision weights = model::WeightPrecision::automatic;
  model::KvPrecision kv = model::KvPrecision::f16;
  uint64_t memoryBudgetBytes = 0;  // 0: what the driver reports as available
  bool validation = false;         // Vulkan validation layers with synchronisation checks (slow)

  bool operator==(const SetUp&) const = default;
};

// The shipped model: the base file in the cache folder and the adapter in resources/models. The error says
// how to fetch the base file. Source and hash: resources/models/manifest.json.
Result<SetUp> defaultSetUp();
// The base file of the default model without its adapter, under the vanilla plan.
Result<SetUp> baselineSetUp();

}  // namespace orthros::session
