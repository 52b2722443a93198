// The tables of what templates can call: filters, tests, and the methods of str, dict and list. One entry is
// a name, a signature and a function; arguments are bound to the signature before the function runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

// What a builtin may ask of the rendering it runs in.
class Interpreter {
 public:
  virtual ~Interpreter() = default;
  virtual Result<Value> applyFilter(std::string_view name, const Value& target, Arguments arguments) = 0;
  virtual Result<bool> applyTest(std::string_view name, const Value& target, Arguments arguments) = 0;
  virtual Work& work() = 0;
};

// Arguments by the position of their parameter. Spare ones are there only where the signature ends with "*".
class Bound {
 public:
  Bound(std::vector<std::optional<Value>> values, Arguments spare)
      : values_(std::move(values)), spare_(std::move(spare)) {}

  // Null where the argument was not given.
  const Value* at(size_t parameter) const;
  const Value& required(size_t parameter) const { return *values_[parameter]; }
  // Missing or None reads as absent.
  bool absent(size_t parameter) const;
  Result<int64_t> integer(size_t parameter, int64_t otherwise) const;
  bool truth(size_t parameter, bool otherwise) const;
  // A str; an error for any other type.
  Result<Text> text(size_t parameter, std::string_view otherwise = {}) const;
  const Arguments& spare() const { return spare_; }

 private:
  std::vector<std::optional<Value>> values_;
  Arguments spare_;
};

using BuiltinFunction = Result<Value> (*)(Interpreter& interpreter, const Value& self,
                                          const Bound& arguments);

struct Builtin {
  std::string_view name;
  std::string_view
      signature;  // parameter names; "?" behind optional ones, "*" for any number of spare arguments
  BuiltinFunction function = nullptr;
};

// Binds and calls. Errors: a missing, unknown or doubled argument, and those of the function.
Result<Value> callBuiltin(const Builtin& builtin, Interpreter& interpreter, const Value& self,
                          Arguments arguments);

// Null where there is none of that name.
const Builtin* findFilter(std::string_view name);
const Builtin* findTest(std::string_view name);
// A method of the value's type.
const Builtin* findMethod(const Value& self, std::string_view name);

// The text that a method of str is called on.
inline const Text& textOf(const Value& self) {
  return *self.as<Text>();
}

// The tables behind them, one per source file.
std::span<const Builtin> textFilters();
std::span<const Builtin> numberFilters();
std::span<const Builtin> sequenceFilters();
std::span<const Builtin> selectionFilters();
std::span<const Builtin> valueTests();
std::span<const Builtin> textMethods();
std::span<const Builtin> textQueryMethods();
std::span<const Builtin> mappingMethods();
std::span<const Builtin> listMethods();

}  // namespace orthros::text::jinja
