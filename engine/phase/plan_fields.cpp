#include "engine/phase/plan_fields.hpp"

#include <algorithm>

#include "engine/phase/presets.hpp"

namespace orthros::phase {
namespace {

constexpr FieldInfo fieldTable[] = {
    {"version", false},      {"prefill.kind", true},  {"prefill.window", true},
    {"prefill.sinks", true}, {"prefill.tail", false}, {"segment.full_max", false},
    {"decode.kind", true},   {"decode.window", true}, {"decode.sinks", true},
};

// Reads fields by name; errors carry the name as it stands in the file.
class FieldReader {
 public:
  FieldReader(const PlanFields& fields, uint32_t layers, std::string_view prefix)
      : fields_(fields), layers_(layers), prefix_(prefix) {}

  bool has(std::string_view name) const { return fields_.find(name) != fields_.end(); }

  tl::unexpected<Error> error(ErrorCode code, std::string_view name, std::string happened,
                              std::string nextStep = {}) const {
    return fail(code, prefix_ + std::string(name), std::move(happened), std::move(nextStep));
  }

  Result<uint32_t> scalar(std::string_view name, uint32_t fallback) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return fallback;
    if (found->second.isArray || found->second.values.size() != 1) {
      return error(ErrorCode::malformed, name, "is an array, but takes one number");
    }
    return found->second.values[0];
  }

  Result<std::vector<uint32_t>> perLayer(std::string_view name, uint32_t fallback) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return std::vector<uint32_t>(layers_, fallback);
    const FieldValue& field = found->second;
    if (!field.isArray && field.values.size() == 1) return std::vector<uint32_t>(layers_, field.values[0]);
    if (field.values.size() != layers_) {
      return error(ErrorCode::malformed, name,
                   "has " + std::to_string(field.values.size()) + " entries, but the model has " +
                       std::to_string(layers_) + " layers");
    }
    return field.values;
  }

 private:
  const PlanFields& fields_;
  uint32_t layers_;
  std::string prefix_;
};

Result<AttentionKind> kindFromNumber(const FieldReader& reader, const std::string& name, uint32_t number) {
  switch (number) {
    case 0:
      return AttentionKind::full;
    case 1:
      return AttentionKind::window;
    case 2:
    case 3:
      return reader.error(ErrorCode::unsupported, name,
                          "asks for kind " + std::to_string(number) +
                              (number == 2 ? " (linear)" : " (window+linear)") + ", which is reserved",
                          "Use kind 0 (full) or 1 (window)");
    default:
      return reader.error(ErrorCode::unsupported, name, "asks for the unknown kind " + std::to_string(number),
                          "Use kind 0 (full) or 1 (window), or a newer version of this program");
  }
}

Result<std::vector<LayerAttention>> readPhase(const FieldReader& reader, const std::string& phaseName) {
  ORTHROS_ASSIGN(const auto kinds, reader.perLayer(phaseName + ".kind", 0));
  ORTHROS_ASSIGN(const auto windows, reader.perLayer(phaseName + ".window", 0));
  ORTHROS_ASSIGN(const auto sinks, reader.perLayer(phaseName + ".sinks", 0));
  std::vector<LayerAttention> layers;
  for (size_t layer = 0; layer < kinds.size(); ++layer) {
    ORTHROS_ASSIGN(const AttentionKind kind, kindFromNumber(reader, phaseName + ".kind", kinds[layer]));
    if (kind == AttentionKind::window && !reader.has(phaseName + ".window")) {
      return reader.error(ErrorCode::malformed, phaseName + ".window",
                          "is missing, but " + phaseName + ".kind asks for a window");
    }
    // Sizes of a full layer mean nothing: dropped, so that plans that act alike compare equal.
    layers.push_back(kind == AttentionKind::full ? LayerAttention{}
                                                 : LayerAttention{kind, windows[layer], sinks[layer]});
  }
  return layers;
}

template <class Member>
FieldValue collect(const std::vector<LayerAttention>& layers, Member member) {
  FieldValue field;
  for (const LayerAttention& layer : layers) field.values.push_back(static_cast<uint32_t>(layer.*member));
  const auto differs = [&](uint32_t value) { return value != field.values.front(); };
  field.isArray = std::any_of(field.values.begin(), field.values.end(), differs);
  if (!field.isArray) field.values.resize(1);
  return field;
}

void writePhase(PlanFields& fields, const std::string& phaseName, const std::vector<LayerAttention>& layers) {
  fields[phaseName + ".kind"] = collect(layers, &LayerAttention::kind);
  const auto windowed = [](const LayerAttention& layer) { return layer.kind == AttentionKind::window; };
  if (std::none_of(layers.begin(), layers.end(), windowed)) return;
  fields[phaseName + ".window"] = collect(layers, &LayerAttention::window);
  fields[phaseName + ".sinks"] = collect(layers, &LayerAttention::sinks);
}

}  // namespace

std::span<const FieldInfo> planFieldTable() {
  return fieldTable;
}

const FieldInfo* findPlanField(std::string_view name) {
  const auto found = std::find_if(std::begin(fieldTable), std::end(fieldTable),
                                  [name](const FieldInfo& field) { return field.name == name; });
  return found == std::end(fieldTable) ? nullptr : found;
}

Result<PhasePlan> planFromFields(const PlanFields& fields, uint32_t layers, uint32_t contextTokens,
                                 std::string_view prefix) {
  const FieldReader reader(fields, layers, prefix);
  ORTHROS_ASSIGN(const uint32_t version, reader.scalar("version", planVersion));
  if (version != planVersion) {
    return reader.error(
        ErrorCode::unsupported, "version",
        "is " + std::to_string(version) + ", but this program knows version " + std::to_string(planVersion),
        "Update the program");
  }
  PhasePlan plan;
  ORTHROS_ASSIGN(plan.prefill, readPhase(reader, "prefill"));
  ORTHROS_ASSIGN(plan.decode, readPhase(reader, "decode"));
  ORTHROS_ASSIGN(plan.tail, reader.scalar("prefill.tail", 1));
  ORTHROS_ASSIGN(plan.fullMax, reader.scalar("segment.full_max", 0));
  if (Status valid = validate(plan, layers, contextTokens); !valid) {
    Error error = std::move(valid).error();
    return reader.error(ErrorCode::malformed, error.subject, error.happened, error.nextStep);
  }
  plan.name = presetNameOf(plan);
  return plan;
}

PlanFields fieldsFromPlan(const PhasePlan& plan) {
  PlanFields fields;
  fields["version"] = {{planVersion}, false};
  writePhase(fields, "prefill", plan.prefill);
  writePhase(fields, "decode", plan.decode);
  fields["prefill.tail"] = {{plan.tail}, false};
  fields["segment.full_max"] = {{plan.fullMax}, false};
  return fields;
}

}  // namespace orthros::phase
