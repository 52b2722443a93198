// The values a template computes with: Python's None, bool, int, float, str, list, tuple and dict, plus
// Jinja's Undefined, namespaces and the loop variable. Values are immutable apart from namespaces and loops;
// a copy is cheap.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/text.hpp"

namespace orthros::text::jinja {

class Value;
class Interpreter;
class LoopState;
struct Sequence;
struct Mapping;
struct Callable;
struct Namespace;

struct None {};
struct Undefined {
  std::shared_ptr<const std::string> reason;  // the error of an operation on it, e.g. "'x' is undefined"
};

class Value {
 public:
  using Storage = std::variant<Undefined, None, bool, int64_t, double, Text, std::shared_ptr<const Sequence>,
                               std::shared_ptr<const Mapping>, std::shared_ptr<const Callable>,
                               std::shared_ptr<LoopState>, Namespace*>;

  Value() : storage_(None{}) {}
  Value(bool value) : storage_(value) {}
  Value(int64_t value) : storage_(value) {}
  Value(double value) : storage_(value) {}
  Value(Text value) : storage_(std::move(value)) {}
  Value(Undefined value) : storage_(std::move(value)) {}
  Value(std::shared_ptr<const Sequence> value) : storage_(std::move(value)) {}
  Value(std::shared_ptr<const Mapping> value) : storage_(std::move(value)) {}
  Value(std::shared_ptr<const Callable> value) : storage_(std::move(value)) {}
  Value(std::shared_ptr<LoopState> value) : storage_(std::move(value)) {}
  Value(Namespace* value) : storage_(value) {}
  // A pointer or a small integer would silently become a bool.
  template <class T>
  Value(T) = delete;

  static Value undefined(std::string reason);

  bool isUndefined() const { return std::holds_alternative<Undefined>(storage_); }
  bool isNone() const { return std::holds_alternative<None>(storage_); }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&storage_);
  }
  const Sequence* asSequence() const;
  const Mapping* asMapping() const;
  const Callable* asCallable() const;
  Namespace* asNamespace() const;
  LoopState* asLoop() const;
  const Storage& storage() const { return storage_; }

  // Python's truth value.
  bool truth() const;
  // "str", "int", "list", ...: Python's name of the type.
  std::string_view typeName() const;
  // Cost of walking through the value and everything inside: one unit per item and per 16 bytes of text.
  uint64_t weight() const;
  // Containers inside containers: 0 for a scalar.
  uint32_t depth() const;
  // Same object or equal scalar, as Python's `is`.
  bool identical(const Value& other) const;

 private:
  Storage storage_;
};

enum class SequenceKind : uint8_t { list, tuple, generator, keysView, valuesView, itemsView };

struct Sequence {
  SequenceKind kind = SequenceKind::list;
  std::vector<Value> items;
  uint64_t weight = 1;
  uint32_t depth = 1;
  mutable bool consumed = false;  // a generator gives its items once

  bool isView() const { return kind >= SequenceKind::keysView; }
  bool isIndexable() const { return kind == SequenceKind::list || kind == SequenceKind::tuple; }
};

// Entries in order of insertion.
struct Mapping {
  using Entry = std::pair<Value, Value>;
  std::vector<Entry> entries;
  std::unordered_map<std::string, size_t> positions;  // hashKey of the key -> entry
  uint64_t weight = 1;
  uint32_t depth = 1;

  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

struct Callable {
  std::string name;
  std::string_view typeName = "function";
  std::function<Result<Value>(Interpreter&, Arguments)> invoke;
  uint64_t weight = 1;
  uint32_t depth = 1;
};

// The one mutable value; owned by the rendering, so that namespaces may hold each other.
struct Namespace {
  std::vector<std::pair<std::string, Value>> attributes;

  const Value* find(std::string_view name) const;
  void set(const std::string& name, Value value);
};

// Errors: more than maxSequenceItems, nested deeper than maxValueDepth, heavier than maxValueWeight.
Result<Value> makeSequence(SequenceKind kind, std::vector<Value> items);
// A later entry replaces the value of an earlier one with an equal key. Error: a key that is not hashable.
Result<Value> makeMapping(std::vector<Mapping::Entry> entries);
Value makeCallable(Callable callable);
inline Value makeText(std::string bytes) {
  return Value(Text(std::move(bytes), Origin::templateText));
}
inline Result<Value> asValue(Result<Text> text) {
  if (!text) return fail(std::move(text).error());
  return Value(std::move(*text));
}

// The same string for equal keys, different strings for different keys; nothing where Python cannot hash.
std::optional<std::string> hashKey(const Value& value);

// An int or bool as int64; nothing else.
std::optional<int64_t> integerOf(const Value& value);

// An error of a rendering; the evaluator adds the line.
inline tl::unexpected<Error> failRender(std::string happened) {
  return fail(ErrorCode::malformed, "", std::move(happened));
}

}  // namespace orthros::text::jinja
