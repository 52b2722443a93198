#include "tests/golden/golden_checks.hpp"

#include <algorithm>

namespace orthros::golden {

std::string caseName(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void checkBasePrompt(const std::string& name, model::KvPrecision kv) {
  const nlohmann::json prompt = caseNamed("smollm2-135m.json", "prompts", name);
  const auto golden = evaluate::goldenCaseFromJson({{"name", name}, {"ids", prompt.at("ids")}});
  ASSERT_TRUE(golden) << golden.error().message();
  const Reference reference = referenceFrom(prompt.at("f32"));
  const auto measured = measure(*golden, reference, {.kv = kv});
  ASSERT_TRUE(measured);
  expectMet(*measured, reference, kv == model::KvPrecision::f32 ? baseFloatCache : baseHalfCache);
}

std::optional<Measured> checkOrthrosCase(const std::string& name, bool floatWeights) {
  const nlohmann::json from = caseNamed("smollm2-135m-orthros.json", "cases", name);
  const auto golden = evaluate::goldenCaseFromJson(from);
  if (!golden) {
    ADD_FAILURE() << golden.error().message();
    return {};
  }
  const Reference reference = referenceFrom(from);
  const Precision precision =
      floatWeights ? Precision{model::WeightPrecision::f32, model::KvPrecision::f32} : Precision{};
  const auto measured = measure(*golden, reference, precision);
  if (measured) expectMet(*measured, reference, floatWeights ? orthrosFloat : orthrosShipped);
  return measured;
}

}  // namespace orthros::golden
