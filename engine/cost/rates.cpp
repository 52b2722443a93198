#include "engine/cost/rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace orthros::cost {
namespace {

constexpr size_t unknowns = 4;  // ns per FLOP of products, per FLOP of attention, per byte, per dispatch
constexpr size_t dispatchUnknown = 3;
constexpr double nsPerSecond = 1e9;
using Equation = std::array<double, unknowns>;

constexpr std::pair<const char*, double DeviceRates::*> rateFields[] = {
    {"matmulFlops", &DeviceRates::matmulFlops},
    {"attentionFlops", &DeviceRates::attentionFlops},
    {"copyBytes", &DeviceRates::copyBytes},
    {"dispatchNs", &DeviceRates::dispatchNs},
};

double amountOf(const LimitedWork& work) {
  return static_cast<double>(work.limit == Limit::memory ? work.bytes : work.flop);
}

double rateOf(const DeviceRates& rates, Limit limit) {
  switch (limit) {
    case Limit::matmul:
      return rates.matmulFlops;
    case Limit::attention:
      return rates.attentionFlops;
    case Limit::memory:
      return rates.copyBytes;
  }
  return 0.0;
}

// Least squares of (equation . x = 1), x >= 0, by improving one unknown after the other. There are four, so
// many rounds cost nothing.
Equation solveNonNegative(const std::vector<Equation>& equations) {
  constexpr int rounds = 20000;
  std::array<Equation, unknowns> gram{};
  Equation right{};
  for (const Equation& equation : equations) {
    for (size_t i = 0; i < unknowns; ++i) {
      right[i] += equation[i];
      for (size_t j = 0; j < unknowns; ++j) gram[i][j] += equation[i] * equation[j];
    }
  }
  Equation x{};
  for (int round = 0; round < rounds; ++round) {
    double change = 0.0;
    for (size_t i = 0; i < unknowns; ++i) {
      if (gram[i][i] <= 0.0) continue;
      double residual = right[i];
      for (size_t j = 0; j < unknowns; ++j) residual -= gram[i][j] * x[j];
      const double next = std::max(0.0, x[i] + residual / gram[i][i]);
      change = std::max(change, std::abs(next - x[i]));
      x[i] = next;
    }
    if (change < 1e-13) break;
  }
  return x;
}

}  // namespace

std::optional<double> predictNs(const LimitedWork& work, const DeviceRates& rates) {
  const double fixed = static_cast<double>(work.dispatches) * rates.dispatchNs;
  const double amount = amountOf(work);
  if (amount == 0.0) return fixed;
  const double rate = rateOf(rates, work.limit);
  if (rate <= 0.0) return std::nullopt;
  return fixed + nsPerSecond * amount / rate;
}

DeviceRates fitRates(std::span<const RateSample> samples) {
  std::vector<Equation> equations;
  for (const RateSample& sample : samples) {
    if (!(sample.ns > 0.0)) continue;
    Equation equation{};
    equation[static_cast<size_t>(sample.work.limit)] = amountOf(sample.work) / sample.ns;
    equation[dispatchUnknown] = static_cast<double>(sample.work.dispatches) / sample.ns;
    equations.push_back(equation);
  }
  // Unknowns differ by many powers of ten: each is solved in units of its largest coefficient.
  Equation scale{};
  for (const Equation& equation : equations) {
    for (size_t i = 0; i < unknowns; ++i) scale[i] = std::max(scale[i], equation[i]);
  }
  for (Equation& equation : equations) {
    for (size_t i = 0; i < unknowns; ++i) equation[i] = scale[i] > 0.0 ? equation[i] / scale[i] : 0.0;
  }
  Equation x = solveNonNegative(equations);
  // Work that costs nothing beside its dispatches was too little to tell its rate: the highest seen is kept.
  for (size_t i = 0; i < dispatchUnknown; ++i)
    if (x[i] <= 0.0 && scale[i] > 0.0) x[i] = 1.0;
  const auto perSecond = [&](size_t i) { return x[i] > 0.0 ? nsPerSecond * scale[i] / x[i] : 0.0; };
  return {perSecond(0), perSecond(1), perSecond(2),
          scale[dispatchUnknown] > 0.0 ? x[dispatchUnknown] / scale[dispatchUnknown] : 0.0};
}

nlohmann::json toJson(const DeviceRates& rates) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, member] : rateFields) json[name] = rates.*member;
  return json;
}

Result<DeviceRates> ratesFromJson(const nlohmann::json& json) {
  if (!json.is_object()) return fail(ErrorCode::malformed, "rates", "is not a JSON object");
  DeviceRates rates;
  for (const auto& [name, member] : rateFields) {
    const auto found = json.find(name);
    if (found == json.end()) continue;
    if (!found->is_number() || !(found->get<double>() >= 0.0)) {
      return fail(ErrorCode::malformed, name, "is not a number of 0 or more");
    }
    rates.*member = found->get<double>();
  }
  return rates;
}

}  // namespace orthros::cost
