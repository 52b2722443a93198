// Plan files: any bytes are a valid plan or a named error.
#include <string_view>

#include "engine/phase/spans_json.hpp"
#include "tests/fuzz/plan_checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace orthros::phase;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = parsePlan(text, fuzzLayers, fuzzContext);
  if (plan) {
    checkAcceptedPlan(*plan);
  } else {
    require(!plan.error().subject.empty() && !plan.error().happened.empty());
  }
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto spans = spansFromJson(json);
  if (spans) require(*spansFromJson(toJson(*spans)) == *spans);
  return 0;
}
