// map, select, reject, selectattr and rejectattr: filters that run another filter or a test on every item.
#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/builtin.hpp"

namespace orthros::text::jinja {
namespace {

// These filters take any false value for an empty sequence.
Result<std::shared_ptr<const Sequence>> itemsOf(Interpreter& interpreter, const Value& self) {
  if (!self.truth()) return std::make_shared<const Sequence>();
  return iterate(self, interpreter.work());
}

// Removes the first positional argument, which must be a str: a filter's or test's name, or an attribute.
Result<Text> takeName(Arguments& arguments, std::string_view what) {
  if (arguments.positional.empty()) return failRender(std::string(what) + " is missing");
  const auto* name = arguments.positional.front().as<Text>();
  if (name == nullptr) return failRender(std::string(what) + " must be a str");
  Text taken = *name;
  arguments.positional.erase(arguments.positional.begin());
  return taken;
}

Result<Value> mapAttribute(const Sequence& items, const Value& attribute, const Value* otherwise) {
  std::vector<Value> mapped;
  mapped.reserve(items.items.size());
  for (const Value& item : items.items) {
    ORTHROS_ASSIGN(Value value, getPath(item, attribute));
    mapped.push_back(value.isUndefined() && otherwise != nullptr ? *otherwise : std::move(value));
  }
  return makeSequence(SequenceKind::generator, std::move(mapped));
}

Result<Value> mapFilter(Interpreter& interpreter, const Value& self, const Bound& bound) {
  ORTHROS_ASSIGN(const auto items, itemsOf(interpreter, self));
  if (items->items.empty()) return makeSequence(SequenceKind::generator, {});
  Arguments arguments = bound.spare();
  if (arguments.positional.empty()) {
    const Value* attribute = nullptr;
    const Value* otherwise = nullptr;
    for (const auto& [name, value] : arguments.named) {
      if (name == "attribute") attribute = &value;
      if (name == "default" && !value.isNone()) otherwise = &value;
    }
    if (attribute == nullptr) return failRender("map needs a filter or an attribute");
    return mapAttribute(*items, *attribute, otherwise);
  }
  ORTHROS_ASSIGN(const Text filter, takeName(arguments, "the filter of map"));
  std::vector<Value> mapped;
  mapped.reserve(items->items.size());
  for (const Value& item : items->items) {
    ORTHROS_ASSIGN(Value value, interpreter.applyFilter(filter.bytes(), item, arguments));
    mapped.push_back(std::move(value));
  }
  return makeSequence(SequenceKind::generator, std::move(mapped));
}

Result<bool> passes(Interpreter& interpreter, const Value& item, const std::optional<Text>& test,
                    const Arguments& arguments) {
  if (!test) return item.truth();
  return interpreter.applyTest(test->bytes(), item, arguments);
}

template <bool wanted, bool byAttribute>
Result<Value> selectFilter(Interpreter& interpreter, const Value& self, const Bound& bound) {
  ORTHROS_ASSIGN(const auto items, itemsOf(interpreter, self));
  if (items->items.empty()) return makeSequence(SequenceKind::generator, {});
  Arguments arguments = bound.spare();
  Value attribute;
  if (byAttribute) {
    if (arguments.positional.empty()) return failRender("the name of the attribute is missing");
    attribute = arguments.positional.front();
    arguments.positional.erase(arguments.positional.begin());
  }
  std::optional<Text> test;
  if (!arguments.positional.empty()) {
    ORTHROS_ASSIGN(test, takeName(arguments, "the test"));
  }
  std::vector<Value> kept;
  for (const Value& item : items->items) {
    ORTHROS_TRY(interpreter.work().charge(1));
    ORTHROS_ASSIGN(const Value tested, byAttribute ? getPath(item, attribute) : Result<Value>(item));
    ORTHROS_ASSIGN(const bool passed, passes(interpreter, tested, test, arguments));
    if (passed == wanted) kept.push_back(item);
  }
  return makeSequence(SequenceKind::generator, std::move(kept));
}

constexpr Builtin selectionFilterTable[] = {
    {"map", "*", mapFilter},
    {"select", "*", selectFilter<true, false>},
    {"reject", "*", selectFilter<false, false>},
    {"selectattr", "*", selectFilter<true, true>},
    {"rejectattr", "*", selectFilter<false, true>},
};

}  // namespace

std::span<const Builtin> selectionFilters() {
  return selectionFilterTable;
}

}  // namespace orthros::text::jinja
