// Methods of dict, and of list and tuple. Those that would change their object do not exist, as in Jinja's
// immutable sandbox.
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/compare.hpp"

namespace orthros::text::jinja {
namespace {

template <SequenceKind kind>
Result<Value> viewMethod(Interpreter& interpreter, const Value& self, const Bound&) {
  const auto& entries = self.asMapping()->entries;
  ORTHROS_TRY(interpreter.work().charge(entries.size()));
  std::vector<Value> items;
  items.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    if (kind == SequenceKind::itemsView) {
      ORTHROS_ASSIGN(Value pair, makeSequence(SequenceKind::tuple, {key, value}));
      items.push_back(std::move(pair));
    } else {
      items.push_back(kind == SequenceKind::keysView ? key : value);
    }
  }
  return makeSequence(kind, std::move(items));
}

Result<Value> getMethod(Interpreter&, const Value& self, const Bound& arguments) {
  if (const Value* found = self.asMapping()->find(arguments.required(0))) return *found;
  return arguments.at(1) != nullptr ? *arguments.at(1) : Value();
}

Result<Value> copyMethod(Interpreter&, const Value& self, const Bound&) {
  return self;
}

Result<Value> indexMethod(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  const auto& items = self.asSequence()->items;
  for (size_t i = 0; i < items.size(); ++i) {
    ORTHROS_ASSIGN(const bool same, equal(items[i], arguments.required(0), interpreter.work()));
    if (same) return Value(static_cast<int64_t>(i));
  }
  return failRender("the list does not hold the value it was asked for");
}

Result<Value> countMethod(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  int64_t count = 0;
  for (const Value& item : self.asSequence()->items) {
    ORTHROS_ASSIGN(const bool same, equal(item, arguments.required(0), interpreter.work()));
    count += same ? 1 : 0;
  }
  return Value(count);
}

constexpr Builtin mappingTable[] = {
    {"items", "", viewMethod<SequenceKind::itemsView>},
    {"keys", "", viewMethod<SequenceKind::keysView>},
    {"values", "", viewMethod<SequenceKind::valuesView>},
    {"get", "key default?", getMethod},
    {"copy", "", copyMethod},
};

constexpr Builtin listTable[] = {
    {"index", "value", indexMethod},
    {"count", "value", countMethod},
    {"copy", "", copyMethod},
};

}  // namespace

std::span<const Builtin> mappingMethods() {
  return mappingTable;
}
std::span<const Builtin> listMethods() {
  return listTable;
}

}  // namespace orthros::text::jinja
