#include "engine/text/jinja/access.hpp"

#include <algorithm>
#include <charconv>

#include "engine/text/jinja/arithmetic.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/characters.hpp"
#include "engine/text/jinja/loop.hpp"

namespace orthros::text::jinja {
namespace {

// A builtin tied to the value it was looked up on.
Value bindMethod(const Builtin& method, const Value& self) {
  Callable callable;
  callable.name = std::string(method.name);
  callable.typeName = "builtin_function_or_method";
  callable.weight = self.weight();
  callable.depth = self.depth();
  callable.invoke = [&method, self](Interpreter& interpreter, Arguments arguments) {
    return callBuiltin(method, interpreter, self, std::move(arguments));
  };
  return makeCallable(std::move(callable));
}

Value loopMethod(const Value& self, std::string_view name) {
  const bool cycle = name == "cycle";
  Callable callable;
  callable.name = std::string(name);
  callable.typeName = "method";
  callable.weight = self.weight();
  callable.depth = self.depth();
  callable.invoke = [self, cycle](Interpreter& interpreter, Arguments arguments) -> Result<Value> {
    if (cycle) return self.asLoop()->cycle(arguments.positional);
    ORTHROS_ASSIGN(const Value values, makeSequence(SequenceKind::tuple, std::move(arguments.positional)));
    ORTHROS_ASSIGN(const bool changed, self.asLoop()->changed(values, interpreter.work()));
    return Value(changed);
  };
  return makeCallable(std::move(callable));
}

// What getattr() finds: properties and methods, not items.
Result<std::optional<Value>> ownAttribute(const Value& value, std::string_view name) {
  ORTHROS_TRY(requireDefined(value));
  if (const auto* space = value.asNamespace()) {
    const Value* found = space->find(name);
    return found != nullptr ? std::optional<Value>(*found) : std::nullopt;
  }
  if (auto* loop = value.asLoop()) {
    if (name == "cycle" || name == "changed") return std::optional<Value>(loopMethod(value, name));
    return loop->attribute(name);
  }
  const Builtin* method = findMethod(value, name);
  return method != nullptr ? std::optional<Value>(bindMethod(*method, value)) : std::nullopt;
}

std::optional<Value> textItem(const Text& text, int64_t index) {
  if (index < 0) index += static_cast<int64_t>(countCharacters(text.bytes()));
  if (index < 0) return std::nullopt;
  const size_t begin = characterOffset(text.bytes(), static_cast<size_t>(index));
  if (begin >= text.size()) return std::nullopt;
  return Value(text.slice(begin, begin + characterAt(text.bytes(), begin).size));
}

// What value[key] finds.
std::optional<Value> ownItem(const Value& value, const Value& key) {
  if (const auto* mapping = value.asMapping()) {
    const Value* found = mapping->find(key);
    return found != nullptr ? std::optional<Value>(*found) : std::nullopt;
  }
  auto index = integerOf(key);
  if (!index) return std::nullopt;
  if (const auto* text = value.as<Text>()) return textItem(*text, *index);
  const auto* sequence = value.asSequence();
  if (sequence == nullptr || !sequence->isIndexable()) return std::nullopt;
  const auto size = static_cast<int64_t>(sequence->items.size());
  if (*index < 0) *index += size;
  if (*index < 0 || *index >= size) return std::nullopt;
  return sequence->items[static_cast<size_t>(*index)];
}

Value missing(const Value& value, std::string_view name) {
  return Value::undefined(std::string(value.typeName()) + " has no attribute '" + std::string(name) + "'");
}

// Python's slice.indices(): the first index, the step, and how many there are.
struct Range {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

Result<Range> resolve(const SliceBounds& bounds, int64_t size) {
  Range range;
  range.step = integerOf(bounds.step).value_or(1);
  if (range.step == 0) return failRender("a slice has a step of zero");
  const bool forward = range.step > 0;
  range.step = std::clamp(range.step, -size - 1, size + 1);  // a longer step takes one item all the same
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? size : size - 1;
  const auto place = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound) return otherwise;
    return std::clamp(*bound < 0 ? *bound + size : *bound, low, high);
  };
  range.start = place(integerOf(bounds.start), forward ? low : high);
  const int64_t stop = place(integerOf(bounds.stop), forward ? high : low);
  const int64_t distance = forward ? stop - range.start : range.start - stop;
  const int64_t stride = forward ? range.step : -range.step;
  range.count = distance > 0 ? (distance + stride - 1) / stride : 0;
  return range;
}

Result<Value> sliceText(const Text& text, const SliceBounds& bounds) {
  const std::string_view bytes = text.bytes();
  std::vector<size_t> offsets;  // of each character, and the end
  for (size_t at = 0; at < bytes.size(); at += characterAt(bytes, at).size) offsets.push_back(at);
  offsets.push_back(bytes.size());
  ORTHROS_ASSIGN(const Range range, resolve(bounds, static_cast<int64_t>(offsets.size()) - 1));
  const auto offset = [&](int64_t index) { return offsets[static_cast<size_t>(index)]; };
  if (range.step == 1) return Value(text.slice(offset(range.start), offset(range.start + range.count)));
  TextBuilder builder;
  for (int64_t i = 0; i < range.count; ++i) {
    const int64_t index = range.start + i * range.step;
    builder.append(text, offset(index), offset(index + 1));
  }
  return asValue(builder.finish());
}

Result<Value> characterList(const Text& text) {
  std::vector<Value> items;
  for (size_t at = 0; at < text.size() && items.size() <= maxSequenceItems;) {
    const size_t size = characterAt(text.bytes(), at).size;
    items.emplace_back(text.slice(at, at + size));
    at += size;
  }
  return makeSequence(SequenceKind::list, std::move(items));
}

Result<Value> iterableList(const Value& value) {
  if (const auto* text = value.as<Text>()) return characterList(*text);
  if (value.isUndefined()) return makeSequence(SequenceKind::list, {});
  const auto* mapping = value.asMapping();
  if (mapping == nullptr) return failRender(std::string(value.typeName()) + " cannot be iterated");
  std::vector<Value> keys;
  for (const auto& entry : mapping->entries) keys.push_back(entry.first);
  return makeSequence(SequenceKind::list, std::move(keys));
}

}  // namespace

Result<Value> getAttribute(const Value& value, std::string_view name) {
  ORTHROS_ASSIGN(auto own, ownAttribute(value, name));
  if (own) return std::move(*own);
  if (const auto* mapping = value.asMapping()) {
    if (const Value* found = mapping->find(name)) return *found;
  }
  return missing(value, name);
}

Result<Value> getItem(const Value& value, const Value& key) {
  ORTHROS_TRY(requireDefined(value));
  if (auto item = ownItem(value, key)) return std::move(*item);
  if (const auto* name = key.as<Text>()) {
    ORTHROS_ASSIGN(auto own, ownAttribute(value, name->bytes()));
    if (own) return std::move(*own);
    return missing(value, name->bytes());
  }
  const auto index = integerOf(key);
  return Value::undefined(std::string(value.typeName()) + " has no item " +
                          (index ? std::to_string(*index) : "of type " + std::string(key.typeName())));
}

Result<Value> getSlice(const Value& value, const SliceBounds& bounds, Work& work) {
  ORTHROS_TRY(requireDefined(value));
  for (const Value* bound : {&bounds.start, &bounds.stop, &bounds.step}) {
    if (!bound->isNone() && !integerOf(*bound)) return failRender("the bounds of a slice are not all int");
  }
  if (const auto* text = value.as<Text>()) {
    ORTHROS_TRY(work.charge(text->size() / 4));
    return sliceText(*text, bounds);
  }
  const auto* sequence = value.asSequence();
  if (sequence == nullptr || !sequence->isIndexable()) {
    return failRender(std::string(value.typeName()) + " cannot be sliced");
  }
  ORTHROS_ASSIGN(const Range range, resolve(bounds, static_cast<int64_t>(sequence->items.size())));
  ORTHROS_TRY(work.charge(static_cast<uint64_t>(range.count)));
  std::vector<Value> items;
  for (int64_t i = 0; i < range.count; ++i) {
    items.push_back(sequence->items[static_cast<size_t>(range.start + i * range.step)]);
  }
  return makeSequence(sequence->kind, std::move(items));
}

Result<std::shared_ptr<const Sequence>> iterate(const Value& value, Work& work) {
  if (const auto* held = value.as<std::shared_ptr<const Sequence>>()) {
    const Sequence& sequence = **held;
    if (sequence.kind != SequenceKind::generator) return *held;
    if (sequence.consumed) return std::make_shared<const Sequence>();
    sequence.consumed = true;
    return *held;
  }
  ORTHROS_TRY(work.charge(value.as<Text>() != nullptr ? value.as<Text>()->size() : 1));
  ORTHROS_ASSIGN(const Value list, iterableList(value));
  return *list.as<std::shared_ptr<const Sequence>>();
}

Result<Value> getPath(const Value& value, const Value& path) {
  const auto* text = path.as<Text>();
  if (text == nullptr) return getItem(value, path);
  Value current = value;
  for (size_t at = 0; at <= text->size();) {
    const size_t end = std::min(text->bytes().find('.', at), text->size());
    const std::string_view part = text->bytes().substr(at, end - at);
    int64_t index = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool number = !part.empty() && part.front() != '-' && parsed.ptr == part.data() + part.size() &&
                        parsed.ec == std::errc();
    ORTHROS_ASSIGN(current, getItem(current, number ? Value(index) : makeText(std::string(part))));
    at = end + 1;
  }
  return current;
}

}  // namespace orthros::text::jinja
