#include "engine/text/jinja/json_input.hpp"

#include <limits>

#include <nlohmann/json.hpp>

namespace orthros::text::jinja {
namespace {

using Json = nlohmann::ordered_json;

Result<Value> convert(const Json& json, Origin origin, uint32_t depth);

Result<Value> convertArray(const Json& json, Origin origin, uint32_t depth) {
  std::vector<Value> items;
  for (const Json& item : json) {
    ORTHROS_ASSIGN(Value value, convert(item, origin, depth));
    items.push_back(std::move(value));
  }
  return makeSequence(SequenceKind::list, std::move(items));
}

Result<Value> convertObject(const Json& json, Origin origin, uint32_t depth) {
  std::vector<Mapping::Entry> entries;
  for (const auto& [key, item] : json.items()) {
    ORTHROS_ASSIGN(Value name, boundedText(key, origin, "a key"));
    ORTHROS_ASSIGN(Value value, convert(item, origin, depth));
    entries.emplace_back(std::move(name), std::move(value));
  }
  return makeMapping(std::move(entries));
}

Result<Value> convert(const Json& json, Origin origin, uint32_t depth) {
  if (depth > maxValueDepth) {
    return fail(ErrorCode::unsupported, "template input",
                "nests deeper than " + std::to_string(maxValueDepth) + " levels");
  }
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value(json.get<bool>());
    case Json::value_t::number_integer:
      return Value(json.get<int64_t>());
    case Json::value_t::number_unsigned: {
      const auto number = json.get<uint64_t>();
      if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return fail(ErrorCode::unsupported, "template input", "holds an integer beyond 64 bits");
      }
      return Value(static_cast<int64_t>(number));
    }
    case Json::value_t::number_float:
      return Value(json.get<double>());
    case Json::value_t::string:
      return boundedText(json.get_ref<const std::string&>(), origin, "a string");
    case Json::value_t::array:
      return convertArray(json, origin, depth + 1);
    case Json::value_t::object:
      return convertObject(json, origin, depth + 1);
    default:
      return Value();
  }
}

}  // namespace

Result<Value> fromJson(const Json& json, Origin origin) {
  return convert(json, origin, 0);
}

Result<Value> boundedText(std::string_view bytes, Origin origin, std::string_view what) {
  if (bytes.size() > maxTextBytes) {
    return fail(ErrorCode::unsupported, "template input",
                std::string(what) + " is longer than " + std::to_string(maxTextBytes) + " bytes");
  }
  return Value(Text(std::string(bytes), origin));
}

}  // namespace orthros::text::jinja
