#include "engine/phase/plan_json.hpp"

#include <algorithm>
#include <optional>

#include "engine/base/file.hpp"
#include "engine/phase/plan_fields.hpp"

namespace orthros::phase {
namespace {

using nlohmann::json;

constexpr uint64_t planFileLimitBytes = 1 << 20;
constexpr const char* kindNames[] = {"full", "window", "linear", "window+linear"};  // by number

bool isKind(std::string_view name) {
  return name.substr(name.find('.') + 1) == "kind";
}

std::optional<uint32_t> numberFrom(const json& value, bool kind) {
  if (kind) {
    if (!value.is_string()) return std::nullopt;
    const auto found =
        std::find(std::begin(kindNames), std::end(kindNames), value.get_ref<const std::string&>());
    if (found == std::end(kindNames)) return std::nullopt;
    return static_cast<uint32_t>(found - std::begin(kindNames));
  }
  if (!value.is_number_unsigned() || value.get<uint64_t>() > UINT32_MAX) return std::nullopt;
  return value.get<uint32_t>();
}

Result<FieldValue> fieldFrom(const json& value, const FieldInfo& info) {
  const bool kind = isKind(info.name);
  FieldValue field;
  field.isArray = value.is_array();
  const json single = field.isArray ? json() : json::array({value});
  for (const json& element : field.isArray ? value : single) {
    const auto number = numberFrom(element, kind);
    if (!number) {
      return fail(ErrorCode::malformed, info.name,
                  kind ? "is not \"full\" or \"window\"" : "is not a whole number from 0 to 4294967295");
    }
    field.values.push_back(*number);
  }
  return field;
}

// "prefill", "decode" and "segment" hold fields; everything else is one.
bool isGroup(const std::string& name) {
  const auto table = planFieldTable();
  return std::any_of(table.begin(), table.end(), [&](const FieldInfo& field) {
    return std::string_view(field.name).find(name + '.') == 0;
  });
}

Status readMember(PlanFields& fields, const std::string& group, const std::string& member,
                  const json& value) {
  const std::string name = group.empty() ? member : group + '.' + member;
  const FieldInfo* info = member.find('.') == std::string::npos ? findPlanField(name) : nullptr;
  if (!info) return fail(ErrorCode::malformed, name, "is not a field of a plan", "Check its spelling");
  ORTHROS_ASSIGN(fields[name], fieldFrom(value, *info));
  return {};
}

json toJsonValue(const FieldValue& field, bool kind) {
  json list = json::array();
  for (const uint32_t value : field.values) list.push_back(kind ? json(kindNames[value]) : json(value));
  return field.isArray ? list : list[0];
}

}  // namespace

json toJson(const PhasePlan& plan) {
  json result = {{"name", plan.name}};
  for (const auto& [name, field] : fieldsFromPlan(plan)) {
    const size_t dot = name.find('.');
    json& place = dot == std::string::npos ? result[name] : result[name.substr(0, dot)][name.substr(dot + 1)];
    place = toJsonValue(field, isKind(name));
  }
  return result;
}

Result<PhasePlan> planFromJson(const json& source, uint32_t layers, uint32_t contextTokens) {
  if (!source.is_object()) return fail(ErrorCode::malformed, "plan", "is not a JSON object");
  PlanFields fields;
  std::optional<std::string> name;
  for (const auto& [key, value] : source.items()) {
    if (key == "name") {
      if (!value.is_string()) return fail(ErrorCode::malformed, "name", "is not a text");
      name = value.get<std::string>();
    } else if (isGroup(key)) {
      if (!value.is_object()) return fail(ErrorCode::malformed, key, "is not a JSON object");
      for (const auto& [member, inner] : value.items()) ORTHROS_TRY(readMember(fields, key, member, inner));
    } else {
      ORTHROS_TRY(readMember(fields, "", key, value));
    }
  }
  ORTHROS_ASSIGN(PhasePlan plan, planFromFields(fields, layers, contextTokens, ""));
  if (name) plan.name = *name;
  // A plan that is no preset may not carry a preset's name.
  if (isPresetName(plan.name)) plan.name = presetNameOf(plan);
  return plan;
}

Result<PhasePlan> parsePlan(std::string_view text, uint32_t layers, uint32_t contextTokens) {
  try {
    return planFromJson(json::parse(text), layers, contextTokens);
  } catch (const json::exception& error) {
    return fail(ErrorCode::malformed, "plan", std::string("is not valid JSON: ") + error.what());
  }
}

Result<PhasePlan> readPlanFile(const std::filesystem::path& path, uint32_t layers, uint32_t contextTokens) {
  ORTHROS_ASSIGN(const std::string text, readFile(path, planFileLimitBytes));
  Result<PhasePlan> plan = parsePlan(text, layers, contextTokens);
  if (!plan) plan.error().subject = path.string() + ": " + plan.error().subject;
  return plan;
}

Result<PhasePlan> choosePlan(std::string_view nameOrFile, uint32_t layers, uint32_t contextTokens,
                             const PresetOptions& options) {
  Result<PhasePlan> named = preset(nameOrFile, layers, options);
  if (named) {
    ORTHROS_TRY(validate(*named, layers, contextTokens));
    return named;
  }
  if (named.error().code != ErrorCode::notFound) return named;
  std::error_code ignored;
  const std::filesystem::path path(nameOrFile);
  if (!std::filesystem::exists(path, ignored)) {
    named.error().happened = "is neither a named plan nor a file";
    return named;
  }
  return readPlanFile(path, layers, contextTokens);
}

}  // namespace orthros::phase
