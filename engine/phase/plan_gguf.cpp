#include "engine/phase/plan_gguf.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

#include "engine/phase/plan_fields.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::phase {
namespace {

constexpr std::string_view planPrefix = "orthros.";

// Keys under "orthros." that other rooms read.
constexpr std::string_view foreignKeys[] = {"rope.factors", "rope.factors_kind", "rope.factor",
                                            "rope.original_context_length"};
constexpr std::string_view foreignPrefix = "train.";

template <class T>
constexpr bool isCount = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
std::optional<uint32_t> toCount(T value) {
  if (value < T{0} || static_cast<uint64_t>(value) > std::numeric_limits<uint32_t>::max())
    return std::nullopt;
  return static_cast<uint32_t>(value);
}

// Appends the number; false for a type that is no integer or a value that does not fit.
struct NumberReader {
  std::vector<uint32_t>& values;

  template <class T>
  bool operator()(const T& value) const {
    if constexpr (isCount<T>) {
      const auto count = toCount(value);
      if (count) values.push_back(*count);
      return count.has_value();
    } else {
      return false;
    }
  }

  bool operator()(const gguf::Array& array) const {
    return std::visit(
        [this](const auto& elements) {
          using Element = typename std::decay_t<decltype(elements)>::value_type;
          if constexpr (isCount<Element>) {
            return std::all_of(elements.begin(), elements.end(), *this);
          } else {
            return false;
          }
        },
        array);
  }
};

bool isForeign(std::string_view name) {
  return name.substr(0, foreignPrefix.size()) == foreignPrefix ||
         std::find(std::begin(foreignKeys), std::end(foreignKeys), name) != std::end(foreignKeys);
}

Result<FieldValue> readField(const std::string& key, const FieldInfo& info, const gguf::Value& value) {
  FieldValue field;
  field.isArray = std::holds_alternative<gguf::Array>(value);
  if (!std::visit(NumberReader{field.values}, value)) {
    return fail(ErrorCode::malformed, key,
                std::string("is not ") + (info.perLayer ? "an unsigned 32-bit number or an array of them"
                                                        : "an unsigned 32-bit number"));
  }
  return field;
}

}  // namespace

Result<StoredPlan> readPlan(const Metadata& metadata, uint32_t layers, uint32_t contextTokens) {
  StoredPlan stored;
  PlanFields fields;
  for (const auto& [key, value] : metadata) {
    if (key.compare(0, planPrefix.size(), planPrefix) != 0) continue;
    const std::string_view name = std::string_view(key).substr(planPrefix.size());
    if (isForeign(name)) continue;
    const FieldInfo* info = findPlanField(name);
    if (!info) {
      stored.warnings.push_back(key + " is unknown to this version and was ignored.");
      continue;
    }
    ORTHROS_ASSIGN(fields[info->name], readField(key, *info, value));
  }
  stored.present = fields.find("version") != fields.end();
  if (stored.present) {
    ORTHROS_ASSIGN(stored.plan, planFromFields(fields, layers, contextTokens, planPrefix));
    return stored;
  }
  if (!fields.empty()) stored.warnings.push_back("The plan was ignored: orthros.version is missing.");
  ORTHROS_ASSIGN(stored.plan, preset("vanilla", layers));
  return stored;
}

Metadata planMetadata(const PhasePlan& plan) {
  const PlanFields fields = fieldsFromPlan(plan);
  Metadata metadata;
  for (const FieldInfo& info : planFieldTable()) {
    const auto found = fields.find(info.name);
    if (found == fields.end()) continue;
    const FieldValue& field = found->second;
    metadata.emplace_back(std::string(planPrefix) + info.name, field.isArray
                                                                   ? gguf::Value(gguf::Array(field.values))
                                                                   : gguf::Value(field.values[0]));
  }
  return metadata;
}

}  // namespace orthros::phase
