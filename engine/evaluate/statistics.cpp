#include "engine/evaluate/statistics.hpp"

#include <cmath>

namespace orthros::evaluate {

MeanAndDeviation meanAndDeviation(std::span<const double> values) {
  if (values.empty()) return {};
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  if (values.size() < 2) return {mean, 0.0};
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size() - 1))};
}

MeanAndDeviation ratio(const MeanAndDeviation& above, const MeanAndDeviation& below) {
  if (above.mean == 0.0 || below.mean == 0.0) return {};
  const double value = above.mean / below.mean;
  return {value, std::abs(value) * std::hypot(above.deviation / above.mean, below.deviation / below.mean)};
}

}  // namespace orthros::evaluate
