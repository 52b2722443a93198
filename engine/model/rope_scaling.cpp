#include "engine/model/rope_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/model/spec_checks.hpp"

namespace orthros::model {
namespace {

class ScalingReader {
 public:
  ScalingReader(const gguf::File& file, const std::string& prefix)
      : file_(file), prefix_(prefix + ".rope.") {}

  std::string key(const char* name) const { return prefix_ + name; }

  // A finite number of at least `least`.
  Result<float> number(const char* name, float fallback, float least) const {
    ORTHROS_ASSIGN(const float value, file_.getOr<float>(key(name), fallback));
    if (!std::isfinite(value) || value < least)
      return badKey(file_, key(name), "is " + gguf::toText(value) + ", which is no usable number");
    return value;
  }

  // How many times longer the context becomes; 0 in the file means that nothing is scaled.
  Result<float> factor() const {
    ORTHROS_ASSIGN(const float older, number("scale_linear", 0.f, 0.f));
    ORTHROS_ASSIGN(const float value, number("scaling.factor", older, 0.f));
    return value == 0.f ? 1.f : value;
  }

  Result<Yarn> yarn(uint32_t contextTokens) const {
    Yarn yarn;
    ORTHROS_ASSIGN(yarn.factor, factor());
    ORTHROS_ASSIGN(const auto original,
                   file_.getOr<uint32_t>(key("scaling.original_context_length"), contextTokens));
    if (original == 0) return badKey(file_, key("scaling.original_context_length"), "is 0");
    yarn.originalContext = static_cast<float>(original);
    ORTHROS_ASSIGN(yarn.betaFast, number("scaling.yarn_beta_fast", yarn.betaFast, 1e-3f));
    ORTHROS_ASSIGN(yarn.betaSlow, number("scaling.yarn_beta_slow", yarn.betaSlow, 1e-3f));
    ORTHROS_ASSIGN(yarn.extrapolation, number("scaling.yarn_ext_factor", yarn.extrapolation, 0.f));
    if (yarn.extrapolation > 1.f) return badKey(file_, key("scaling.yarn_ext_factor"), "is above 1");
    ORTHROS_ASSIGN(yarn.logMultiplier, number("scaling.yarn_log_multiplier", yarn.logMultiplier, 0.f));
    if (yarn.factor < 1.f)
      return badKey(file_, key("scaling.factor"), "is below 1, which YaRN does not allow");
    return yarn;
  }

 private:
  const gguf::File& file_;
  std::string prefix_;
};

double temperature(double factor, double multiplier) {
  return 0.1 * multiplier * std::log(factor) + 1.0;
}

}  // namespace

Status readRopeScaling(const gguf::File& file, const std::string& prefix, uint32_t contextTokens,
                       RopeSpec& rope) {
  const ScalingReader reader(file, prefix);
  ORTHROS_ASSIGN(rope.base, reader.number("freq_base", 10000.f, 0.f));
  if (rope.base <= 1.f) return badKey(file, reader.key("freq_base"), "must be above 1");
  ORTHROS_ASSIGN(rope.attentionScale, reader.number("scaling.attn_factor", 1.f, 0.f));
  if (rope.attentionScale == 0.f) return badKey(file, reader.key("scaling.attn_factor"), "is 0");
  const std::string typeKey = reader.key("scaling.type");
  ORTHROS_ASSIGN(const auto type, file.getOr<std::string>(typeKey, "linear"));
  if (type == "none") return {};
  if (type == "linear") {
    ORTHROS_ASSIGN(const float factor, reader.factor());
    rope.scale = 1.f / factor;
    if (!std::isfinite(rope.scale)) return badKey(file, reader.key("scaling.factor"), "is too small");
    return {};
  }
  if (type == "yarn") {
    ORTHROS_ASSIGN(const Yarn yarn, reader.yarn(contextTokens));
    applyYarn(yarn, rope);
    return {};
  }
  return fail(ErrorCode::unsupported, file.name() + ": key " + typeKey,
              "is " + type + ", which this program does not know",
              "Choose a model with none, linear or yarn");
}

void applyYarn(const Yarn& yarn, RopeSpec& rope) {
  const uint32_t pairs = rope.dimensions / 2;
  const double logBase = std::log(static_cast<double>(rope.base));
  // The pair that makes `turns` full turns within the original context.
  const auto pairOf = [&](double turns) {
    return rope.dimensions * std::log(yarn.originalContext / (turns * 2 * std::numbers::pi)) / (2 * logBase);
  };
  const double low = std::max(0.0, std::floor(pairOf(yarn.betaFast)));
  const double high = std::min(rope.dimensions - 1.0, std::ceil(pairOf(yarn.betaSlow)));
  rope.factors.resize(pairs, 1.f);
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    const double ramp = std::clamp((pair - low) / std::max(0.001, high - low), 0.0, 1.0);
    const double kept = (1.0 - ramp) * yarn.extrapolation;
    const double multiplier = (1.0 - kept) / yarn.factor + kept;
    rope.factors[pair] = static_cast<float>(rope.factors[pair] / multiplier);
  }
  rope.attentionScale = static_cast<float>(rope.attentionScale * temperature(yarn.factor, 1.0) /
                                           temperature(yarn.factor, yarn.logMultiplier));
}

}  // namespace orthros::model
