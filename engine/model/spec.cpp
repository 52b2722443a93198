#include "engine/model/spec.hpp"

#include <cmath>

#include "engine/model/spec_checks.hpp"
#include "engine/model/spec_reader.hpp"

namespace orthros::model {

std::vector<double> RopeSpec::frequencies() const {
  std::vector<double> result(dimensions / 2);
  for (size_t i = 0; i < result.size(); ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / dimensions;
    const double factor = factors.empty() ? 1.0 : factors[i];
    result[i] = std::pow(static_cast<double>(base), exponent) / factor * scale;
  }
  return result;
}

Result<ModelSpec> readSpec(const gguf::File& file) {
  return SpecReader(file).read();
}

std::string layerTensor(uint32_t layer, const char* name) {
  return "blk." + std::to_string(layer) + "." + name + ".weight";
}

Status checkRopeFactors(const std::string& subject, const std::vector<float>& factors, uint32_t pairs) {
  if (factors.size() != pairs)
    return fail(ErrorCode::malformed, subject,
                "has " + std::to_string(factors.size()) + " factors where the model rotates " +
                    std::to_string(pairs) + " pairs per head");
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!std::isfinite(factors[i]) || factors[i] <= 0.f)
      return fail(
          ErrorCode::malformed, subject,
          "factor " + std::to_string(i) + " is " + gguf::toText(factors[i]) + ", not a number above 0");
  }
  return {};
}

}  // namespace orthros::model
