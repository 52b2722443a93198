// How fast this device does the three kinds of work an operation can be limited by, learnt from measured
// operations, and the time such rates predict.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.hpp"

namespace orthros::cost {

// What an operation's time follows: products with weights for many rows, attention for many rows, or memory
// traffic (few rows, element-wise work).
enum class Limit : uint8_t { matmul, attention, memory };

// 0 where unknown. dispatchNs is 0 too where dispatches cost nothing that was noticed.
struct DeviceRates {
  double matmulFlops = 0.0;     // FLOP/s
  double attentionFlops = 0.0;  // FLOP/s
  double copyBytes = 0.0;       // bytes/s
  double dispatchNs = 0.0;      // ns per dispatch, on top of its work
  bool operator==(const DeviceRates&) const = default;
};

// Work that one limit governs.
struct LimitedWork {
  Limit limit = Limit::memory;
  uint64_t dispatches = 0;
  uint64_t flop = 0;
  uint64_t bytes = 0;
};

struct RateSample {
  LimitedWork work;
  double ns = 0.0;
};

// Nanoseconds; empty where the rate that the work needs is unknown. Work without FLOP (or bytes) needs no
// rate.
std::optional<double> predictNs(const LimitedWork& work, const DeviceRates& rates);

// The rates, none negative, that come closest to all samples in relative error; a rate without samples stays
// 0. Samples without time are ignored.
DeviceRates fitRates(std::span<const RateSample> samples);

nlohmann::json toJson(const DeviceRates& rates);
// The error names the field.
Result<DeviceRates> ratesFromJson(const nlohmann::json& json);

}  // namespace orthros::cost
