#pragma once

#include <span>

namespace orthros::evaluate {

struct MeanAndDeviation {
  double mean = 0.0;
  double deviation = 0.0;  // of the sample, n - 1 below; 0 for fewer than two values
};

MeanAndDeviation meanAndDeviation(std::span<const double> values);

// above / below, with the deviation that follows where both vary on their own (first order).
MeanAndDeviation ratio(const MeanAndDeviation& above, const MeanAndDeviation& below);

}  // namespace orthros::evaluate
