// Filters that order, pick and group the items of a sequence.
#include <algorithm>
#include <unordered_set>

#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/compare.hpp"
#include "engine/text/jinja/text_operations.hpp"

namespace orthros::text::jinja {
namespace {

Value ignoreCase(const Value& value) {
  const auto* text = value.as<Text>();
  return text != nullptr ? Value(Text::derived(toLower(text->bytes()), {text})) : value;
}

// What items are compared by: themselves or one of their attributes, in lower case unless asked otherwise.
struct KeyRule {
  const Value* attribute = nullptr;
  bool caseSensitive = false;
  const Value* otherwise = nullptr;  // for an undefined attribute

  Result<Value> keyOf(const Value& item) const {
    Value key = item;
    if (attribute != nullptr && !attribute->isNone()) {
      ORTHROS_ASSIGN(key, getPath(item, *attribute));
      if (key.isUndefined() && otherwise != nullptr) key = *otherwise;
    }
    return caseSensitive ? key : ignoreCase(key);
  }
};

struct Keyed {
  Value key;
  Value item;
};

Result<std::vector<Keyed>> withKeys(const Sequence& sequence, const KeyRule& rule) {
  std::vector<Keyed> keyed;
  keyed.reserve(sequence.items.size());
  for (const Value& item : sequence.items) {
    ORTHROS_ASSIGN(Value key, rule.keyOf(item));
    keyed.push_back({std::move(key), item});
  }
  return keyed;
}

Status sortByKey(std::vector<Keyed>& items, bool descending, Work& work) {
  Status status;
  std::stable_sort(items.begin(), items.end(), [&](const Keyed& a, const Keyed& b) {
    if (!status) return false;
    const auto less = descending ? lessThan(b.key, a.key, work) : lessThan(a.key, b.key, work);
    if (!less) status = tl::make_unexpected(less.error());
    return less && *less;
  });
  return status;
}

Result<Value> listOfItems(std::vector<Keyed> keyed) {
  std::vector<Value> items;
  items.reserve(keyed.size());
  for (Keyed& entry : keyed) items.push_back(std::move(entry.item));
  return makeSequence(SequenceKind::list, std::move(items));
}

Result<Value> sortFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  const bool caseSensitive = arguments.truth(1, false);
  std::vector<Value> attributes;
  const auto* names = arguments.absent(2) ? nullptr : arguments.required(2).as<Text>();
  if (names != nullptr) {
    for (Text& name : split(*names, ",", -1, Side::left)) attributes.emplace_back(std::move(name));
  } else if (!arguments.absent(2)) {
    attributes.push_back(arguments.required(2));
  }
  std::vector<Keyed> keyed;
  for (const Value& item : items->items) {
    std::vector<Value> keys;
    for (size_t i = 0; i < std::max<size_t>(attributes.size(), 1); ++i) {
      const KeyRule rule{attributes.empty() ? nullptr : &attributes[i], caseSensitive, nullptr};
      ORTHROS_ASSIGN(Value key, rule.keyOf(item));
      keys.push_back(std::move(key));
    }
    ORTHROS_ASSIGN(Value key, makeSequence(SequenceKind::list, std::move(keys)));
    keyed.push_back({std::move(key), item});
  }
  ORTHROS_TRY(sortByKey(keyed, arguments.truth(0, false), interpreter.work()));
  return listOfItems(std::move(keyed));
}

Result<Value> dictsortFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  const auto* mapping = self.asMapping();
  if (mapping == nullptr) return failRender("dictsort works on a dict, not " + std::string(self.typeName()));
  ORTHROS_ASSIGN(const Text by, arguments.text(1, "key"));
  if (by.bytes() != "key" && by.bytes() != "value")
    return failRender("dictsort sorts by \"key\" or \"value\"");
  const KeyRule rule{nullptr, arguments.truth(0, false), nullptr};
  std::vector<Keyed> keyed;
  for (const auto& [key, value] : mapping->entries) {
    ORTHROS_ASSIGN(Value sortKey, rule.keyOf(by.bytes() == "key" ? key : value));
    ORTHROS_ASSIGN(Value pair, makeSequence(SequenceKind::tuple, {key, value}));
    keyed.push_back({std::move(sortKey), std::move(pair)});
  }
  ORTHROS_TRY(sortByKey(keyed, arguments.truth(2, false), interpreter.work()));
  return listOfItems(std::move(keyed));
}

Result<Value> uniqueFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  const KeyRule rule{arguments.at(1), arguments.truth(0, false), nullptr};
  std::unordered_set<std::string> seen;
  std::vector<Value> kept;
  for (const Value& item : items->items) {
    ORTHROS_ASSIGN(const Value key, rule.keyOf(item));
    auto hash = hashKey(key);
    if (!hash) return failRender(std::string(key.typeName()) + " cannot be a key");
    if (seen.insert(std::move(*hash)).second) kept.push_back(item);
  }
  return makeSequence(SequenceKind::generator, std::move(kept));
}

template <bool largest>
Result<Value> extremeFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  const KeyRule rule{arguments.at(1), arguments.truth(0, false), nullptr};
  ORTHROS_ASSIGN(const auto keyed, withKeys(*items, rule));
  if (keyed.empty()) return Value::undefined("an empty sequence has no least or greatest item");
  const Keyed* best = &keyed.front();
  for (const Keyed& candidate : keyed) {
    ORTHROS_ASSIGN(const bool better, largest ? lessThan(best->key, candidate.key, interpreter.work())
                                              : lessThan(candidate.key, best->key, interpreter.work()));
    if (better) best = &candidate;
  }
  return best->item;
}

Result<Value> groupbyFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  Work& work = interpreter.work();
  ORTHROS_ASSIGN(const auto items, iterate(self, work));
  const Value* otherwise = arguments.absent(1) ? nullptr : arguments.at(1);
  const bool caseSensitive = arguments.truth(2, false);
  ORTHROS_ASSIGN(auto keyed, withKeys(*items, KeyRule{arguments.at(0), caseSensitive, otherwise}));
  ORTHROS_TRY(sortByKey(keyed, false, work));
  std::vector<Value> groups;
  for (size_t begin = 0; begin < keyed.size();) {
    std::vector<Value> members;
    size_t end = begin;
    for (; end < keyed.size(); ++end) {
      ORTHROS_ASSIGN(const bool same, equal(keyed[end].key, keyed[begin].key, work));
      if (!same) break;
      members.push_back(keyed[end].item);
    }
    const KeyRule shown{arguments.at(0), true, otherwise};
    ORTHROS_ASSIGN(Value grouper, shown.keyOf(keyed[begin].item));
    ORTHROS_ASSIGN(Value list, makeSequence(SequenceKind::list, std::move(members)));
    ORTHROS_ASSIGN(Value group, makeSequence(SequenceKind::tuple, {std::move(grouper), std::move(list)}));
    groups.push_back(std::move(group));
    begin = end;
  }
  return makeSequence(SequenceKind::list, std::move(groups));
}

Result<Value> listFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  ORTHROS_TRY(interpreter.work().charge(items->items.size()));
  return makeSequence(SequenceKind::list, items->items);
}

Result<Value> firstFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  if (items->items.empty()) return Value::undefined("an empty sequence has no first item");
  return items->items.front();
}

Result<Value> lastFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  const auto* sequence = self.asSequence();
  if (sequence != nullptr && sequence->kind == SequenceKind::generator) {
    return failRender("a generator has no last item; turn it into a list first");
  }
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  if (items->items.empty()) return Value::undefined("an empty sequence has no last item");
  return items->items.back();
}

Result<Value> reverseFilter(Interpreter& interpreter, const Value& self, const Bound&) {
  Work& work = interpreter.work();
  if (self.as<Text>() != nullptr) return getSlice(self, {Value(), Value(), Value(int64_t{-1})}, work);
  ORTHROS_ASSIGN(const auto items, iterate(self, work));
  ORTHROS_TRY(work.charge(items->items.size()));
  return makeSequence(SequenceKind::generator,
                      std::vector<Value>(items->items.rbegin(), items->items.rend()));
}

Result<Value> itemsFilter(Interpreter&, const Value& self, const Bound&) {
  std::vector<Value> pairs;
  if (!self.isUndefined()) {
    const auto* mapping = self.asMapping();
    if (mapping == nullptr) return failRender("items works on a dict, not " + std::string(self.typeName()));
    for (const auto& [key, value] : mapping->entries) {
      ORTHROS_ASSIGN(Value pair, makeSequence(SequenceKind::tuple, {key, value}));
      pairs.push_back(std::move(pair));
    }
  }
  return makeSequence(SequenceKind::generator, std::move(pairs));
}

Result<Value> batchFilter(Interpreter& interpreter, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const auto items, iterate(self, interpreter.work()));
  ORTHROS_ASSIGN(const int64_t size, arguments.integer(0, 0));
  if (size < 1 || size > static_cast<int64_t>(maxSequenceItems))
    return failRender("batch needs a size of 1 or more");
  std::vector<Value> batches;
  for (size_t begin = 0; begin < items->items.size(); begin += static_cast<size_t>(size)) {
    const size_t end = std::min(items->items.size(), begin + static_cast<size_t>(size));
    std::vector<Value> batch;
    for (size_t i = begin; i < end; ++i) batch.push_back(items->items[i]);
    if (!arguments.absent(1)) batch.resize(static_cast<size_t>(size), arguments.required(1));
    ORTHROS_ASSIGN(Value list, makeSequence(SequenceKind::list, std::move(batch)));
    batches.push_back(std::move(list));
  }
  return makeSequence(SequenceKind::generator, std::move(batches));
}

Result<Value> attrFilter(Interpreter&, const Value& self, const Bound& arguments) {
  ORTHROS_ASSIGN(const Text name, arguments.text(0));
  const auto* mapping = self.asMapping();
  if (mapping != nullptr && findMethod(self, name.bytes()) == nullptr) {
    return Value::undefined("dict has no attribute '" + std::string(name.bytes()) + "'");
  }
  return getAttribute(self, name.bytes());
}

constexpr Builtin sequenceFilterTable[] = {
    {"list", "", listFilter},
    {"first", "", firstFilter},
    {"last", "", lastFilter},
    {"reverse", "", reverseFilter},
    {"sort", "reverse? case_sensitive? attribute?", sortFilter},
    {"dictsort", "case_sensitive? by? reverse?", dictsortFilter},
    {"unique", "case_sensitive? attribute?", uniqueFilter},
    {"min", "case_sensitive? attribute?", extremeFilter<false>},
    {"max", "case_sensitive? attribute?", extremeFilter<true>},
    {"groupby", "attribute default? case_sensitive?", groupbyFilter},
    {"items", "", itemsFilter},
    {"batch", "linecount fill_with?", batchFilter},
    {"attr", "name", attrFilter},
};

}  // namespace

std::span<const Builtin> sequenceFilters() {
  return sequenceFilterTable;
}

}  // namespace orthros::text::jinja
