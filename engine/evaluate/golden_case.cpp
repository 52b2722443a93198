#include "engine/evaluate/golden_case.hpp"

#include <algorithm>

#include "engine/gguf/file.hpp"
#include "engine/gguf/writer.hpp"
#include "engine/phase/spans_json.hpp"

namespace orthros::evaluate {
namespace {

using nlohmann::json;

tl::unexpected<Error> wrong(const std::string& field, const char* happened) {
  return fail(ErrorCode::malformed, "case field " + field, happened, "See the header of the golden files");
}

Result<uint32_t> number(const json& from, const char* field, uint32_t fallback) {
  if (!from.contains(field)) return fallback;
  if (!from[field].is_number_unsigned() || from[field].get<uint64_t>() > UINT32_MAX) {
    return wrong(field, "is not a whole number");
  }
  return from[field].get<uint32_t>();
}

// Whether `field` says "adapter" rather than `other`.
Result<bool> saysAdapter(const json& from, const char* field, const char* other) {
  if (!from.contains(field) || from[field] == other) return false;
  if (from[field] == "adapter") return true;
  return wrong(field, "is neither \"adapter\" nor the word for doing without");
}

Result<std::vector<text::TokenId>> idsOf(const json& from) {
  if (!from.contains("ids") || !from["ids"].is_array() || from["ids"].empty())
    return wrong("ids", "is not a list");
  std::vector<text::TokenId> ids;
  for (const json& id : from["ids"]) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() > UINT32_MAX)
      return wrong("ids", "holds what is no token id");
    ids.push_back(id.get<text::TokenId>());
  }
  return ids;
}

const json* listOfCases(const json& root) {
  for (const char* key : {"cases", "prompts"}) {
    if (root.is_object() && root.contains(key) && root[key].is_array()) return &root[key];
  }
  return nullptr;
}

std::string namesIn(const json& cases) {
  std::string names;
  for (const json& one : cases) {
    if (one.is_object()) names += (names.empty() ? "" : ", ") + one.value("name", std::string("?"));
  }
  return names;
}

}  // namespace

phase::PhasePlan GoldenCase::plan(uint32_t layers) const {
  phase::LayerAttention prefill;
  if (window > 0) prefill = {phase::AttentionKind::window, window, sinks};
  phase::PhasePlan plan;
  plan.name = "custom";
  plan.prefill.assign(layers, prefill);
  plan.decode.assign(layers, phase::LayerAttention{});
  return plan;
}

Result<GoldenCase> goldenCaseFromJson(const json& from) {
  if (!from.is_object()) return fail(ErrorCode::malformed, "case", "is not a JSON object");
  GoldenCase golden;
  if (from.contains("name") && from["name"].is_string()) golden.name = from["name"].get<std::string>();
  ORTHROS_ASSIGN(golden.ids, idsOf(from));
  if (from.contains("spans")) {
    ORTHROS_ASSIGN(golden.spans, phase::spansFromJson(from["spans"]));
  } else {
    golden.spans.append({0, static_cast<uint32_t>(golden.ids.size()), phase::Phase::decode});
  }
  if (golden.spans.length() != golden.ids.size())
    return wrong("spans", "cover another number of rows than ids");
  ORTHROS_ASSIGN(golden.window, number(from, "window", 0));
  ORTHROS_ASSIGN(golden.sinks, number(from, "sinks", 0));
  ORTHROS_ASSIGN(golden.adapter, saysAdapter(from, "weights", "base"));
  ORTHROS_ASSIGN(golden.ropeFactors, saysAdapter(from, "rope", "none"));
  if (golden.ropeFactors && !golden.adapter)
    return wrong("rope", "wants an adapter's factors without the adapter");
  return golden;
}

Result<GoldenCase> chooseCase(const json& root, const std::string& name) {
  const json* cases = listOfCases(root);
  if (!cases) return goldenCaseFromJson(root);
  if (name.empty() && cases->size() == 1) return goldenCaseFromJson(cases->front());
  const auto found = std::find_if(cases->begin(), cases->end(), [&](const json& one) {
    return one.is_object() && one.value("name", std::string()) == name;
  });
  if (found == cases->end()) {
    return fail(ErrorCode::notFound, "case \"" + name + "\"", "is not in the file",
                "Choose one with --name: " + namesIn(*cases));
  }
  return goldenCaseFromJson(*found);
}

Status copyWithoutRopeFactors(const std::filesystem::path& adapter, const std::filesystem::path& target) {
  ORTHROS_ASSIGN(const gguf::File file, gguf::File::open(adapter));
  gguf::Writer writer;
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with("orthros.rope.")) continue;
    ORTHROS_TRY(writer.add(key, value));
  }
  for (const gguf::Tensor& tensor : file.tensors()) {
    ORTHROS_TRY(writer.addTensor(tensor.name, tensor.format, tensor.shape,
                                 std::vector<std::byte>(tensor.data.begin(), tensor.data.end())));
  }
  return writer.write(target);
}

}  // namespace orthros::evaluate
