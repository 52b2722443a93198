#include "engine/text/jinja/value.hpp"

#include <algorithm>
#include <cmath>

#include "engine/text/jinja/loop.hpp"

namespace orthros::text::jinja {
namespace {

template <class... Functions>
struct Overload : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overload(Functions...) -> Overload<Functions...>;

template <class T>
using Shared = std::shared_ptr<T>;

Status checkContainer(uint64_t weight, uint32_t depth, size_t items) {
  if (items > maxSequenceItems) {
    return fail(ErrorCode::unsupported, "",
                "builds a list of more than " + std::to_string(maxSequenceItems) + " items");
  }
  if (depth > maxValueDepth) {
    return fail(ErrorCode::unsupported, "",
                "nests values deeper than " + std::to_string(maxValueDepth) + " levels");
  }
  if (weight > maxValueWeight) return fail(ErrorCode::unsupported, "", "builds a value that is too large");
  return {};
}

}  // namespace

Value Value::undefined(std::string reason) {
  return Value(Undefined{std::make_shared<const std::string>(std::move(reason))});
}

const Sequence* Value::asSequence() const {
  const auto* held = as<Shared<const Sequence>>();
  return held ? held->get() : nullptr;
}

const Mapping* Value::asMapping() const {
  const auto* held = as<Shared<const Mapping>>();
  return held ? held->get() : nullptr;
}

const Callable* Value::asCallable() const {
  const auto* held = as<Shared<const Callable>>();
  return held ? held->get() : nullptr;
}

Namespace* Value::asNamespace() const {
  const auto* held = as<Namespace*>();
  return held ? *held : nullptr;
}

LoopState* Value::asLoop() const {
  const auto* held = as<Shared<LoopState>>();
  return held ? held->get() : nullptr;
}

bool Value::truth() const {
  return std::visit(Overload{
                        [](const Undefined&) { return false; },
                        [](const None&) { return false; },
                        [](bool value) { return value; },
                        [](int64_t value) { return value != 0; },
                        [](double value) { return value != 0; },
                        [](const Text& value) { return !value.empty(); },
                        [](const Shared<const Sequence>& value) {
                          return value->kind == SequenceKind::generator || !value->items.empty();
                        },
                        [](const Shared<const Mapping>& value) { return !value->entries.empty(); },
                        [](const auto&) { return true; },
                    },
                    storage_);
}

std::string_view Value::typeName() const {
  static constexpr std::string_view sequences[] = {"list",      "tuple",       "generator",
                                                   "dict_keys", "dict_values", "dict_items"};
  return std::visit(
      Overload{
          [](const Undefined&) { return std::string_view("Undefined"); },
          [](const None&) { return std::string_view("NoneType"); },
          [](bool) { return std::string_view("bool"); },
          [](int64_t) { return std::string_view("int"); },
          [](double) { return std::string_view("float"); },
          [](const Text&) { return std::string_view("str"); },
          [](const Shared<const Sequence>& value) { return sequences[static_cast<size_t>(value->kind)]; },
          [](const Shared<const Mapping>&) { return std::string_view("dict"); },
          [](const Shared<const Callable>& value) { return value->typeName; },
          [](const Shared<LoopState>&) { return std::string_view("LoopContext"); },
          [](Namespace*) { return std::string_view("Namespace"); },
      },
      storage_);
}

uint64_t Value::weight() const {
  return std::visit(Overload{
                        [](const Text& value) -> uint64_t { return 1 + value.size() / 16; },
                        [](const Shared<const Sequence>& value) -> uint64_t { return value->weight; },
                        [](const Shared<const Mapping>& value) -> uint64_t { return value->weight; },
                        [](const Shared<const Callable>& value) -> uint64_t { return value->weight; },
                        [](const Shared<LoopState>& value) -> uint64_t { return value->weight(); },
                        [](const auto&) -> uint64_t { return 1; },
                    },
                    storage_);
}

uint32_t Value::depth() const {
  return std::visit(Overload{
                        [](const Shared<const Sequence>& value) -> uint32_t { return value->depth; },
                        [](const Shared<const Mapping>& value) -> uint32_t { return value->depth; },
                        [](const Shared<const Callable>& value) -> uint32_t { return value->depth; },
                        [](const Shared<LoopState>& value) -> uint32_t { return value->depth(); },
                        [](const auto&) -> uint32_t { return 0; },
                    },
                    storage_);
}

bool Value::identical(const Value& other) const {
  if (storage_.index() != other.storage_.index()) return false;
  return std::visit(Overload{
                        [](const Undefined& a, const Undefined& b) { return a.reason == b.reason; },
                        [](const None&, const None&) { return true; },
                        [](const Text& a, const Text& b) { return a.bytes() == b.bytes(); },
                        []<class T>(const T& a, const T& b) { return a == b; },
                        [](const auto&, const auto&) { return false; },
                    },
                    storage_, other.storage_);
}

const Value* Mapping::find(const Value& key) const {
  const auto hash = hashKey(key);
  if (!hash) return nullptr;
  const auto found = positions.find(*hash);
  return found == positions.end() ? nullptr : &entries[found->second].second;
}

const Value* Mapping::find(std::string_view key) const {
  const auto found = positions.find("s" + std::string(key));
  return found == positions.end() ? nullptr : &entries[found->second].second;
}

const Value* Namespace::find(std::string_view name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Namespace::set(const std::string& name, Value value) {
  for (auto& [key, held] : attributes) {
    if (key == name) {
      held = std::move(value);
      return;
    }
  }
  attributes.emplace_back(name, std::move(value));
}

Result<Value> makeSequence(SequenceKind kind, std::vector<Value> items) {
  auto sequence = std::make_shared<Sequence>();
  uint32_t depth = 0;
  for (const Value& item : items) {
    sequence->weight += item.weight();
    depth = std::max(depth, item.depth());
    if (sequence->weight > maxValueWeight) break;
  }
  sequence->depth = depth + 1;
  ORTHROS_TRY(checkContainer(sequence->weight, sequence->depth, items.size()));
  sequence->kind = kind;
  sequence->items = std::move(items);
  return Value(std::shared_ptr<const Sequence>(std::move(sequence)));
}

Result<Value> makeMapping(std::vector<Mapping::Entry> entries) {
  auto mapping = std::make_shared<Mapping>();
  uint32_t depth = 0;
  for (auto& [key, value] : entries) {
    auto hash = hashKey(key);
    if (!hash) return failRender(std::string(key.typeName()) + " cannot be a key");
    mapping->weight += key.weight() + value.weight();
    depth = std::max({depth, key.depth(), value.depth()});
    ORTHROS_TRY(checkContainer(mapping->weight, depth + 1, mapping->entries.size()));
    const auto [position, isNew] = mapping->positions.emplace(std::move(*hash), mapping->entries.size());
    if (isNew) {
      mapping->entries.emplace_back(std::move(key), std::move(value));
    } else {
      mapping->entries[position->second].second = std::move(value);
    }
  }
  mapping->depth = depth + 1;
  return Value(std::shared_ptr<const Mapping>(std::move(mapping)));
}

Value makeCallable(Callable callable) {
  return Value(std::shared_ptr<const Callable>(std::make_shared<Callable>(std::move(callable))));
}

std::optional<std::string> hashKey(const Value& value) {
  if (const auto* text = value.as<Text>()) return "s" + std::string(text->bytes());
  if (const auto integer = integerOf(value)) return "n" + std::to_string(*integer);
  if (const auto* number = value.as<double>()) {
    if (std::floor(*number) == *number && std::abs(*number) < 9e18)
      return "n" + std::to_string(int64_t(*number));
    return "f" + std::to_string(std::hash<double>{}(*number));
  }
  if (value.isNone()) return "-";
  if (value.isUndefined()) return "?";
  const auto* sequence = value.asSequence();
  if (sequence == nullptr || sequence->kind != SequenceKind::tuple) return std::nullopt;
  std::string key = "t";
  for (const Value& item : sequence->items) {
    const auto part = hashKey(item);
    if (!part) return std::nullopt;
    key += std::to_string(part->size()) + ":" + *part;
  }
  return key;
}

std::optional<int64_t> integerOf(const Value& value) {
  if (const auto* integer = value.as<int64_t>()) return *integer;
  if (const auto* boolean = value.as<bool>()) return *boolean ? 1 : 0;
  return std::nullopt;
}

}  // namespace orthros::text::jinja
