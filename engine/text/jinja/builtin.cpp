#include "engine/text/jinja/builtin.hpp"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

namespace orthros::text::jinja {
namespace {

using Table = std::unordered_map<std::string_view, const Builtin*>;

Table makeTable(std::initializer_list<std::span<const Builtin>> parts) {
  Table table;
  for (const auto& part : parts) {
    for (const Builtin& builtin : part) table.emplace(builtin.name, &builtin);
  }
  return table;
}

const Builtin* findIn(const Table& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

struct Parameter {
  std::string_view name;
  bool optional = false;
};

struct Signature {
  std::vector<Parameter> parameters;
  bool takesSpare = false;
};

Signature readSignature(std::string_view text) {
  Signature signature;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word == "*") {
      signature.takesSpare = true;
      continue;
    }
    const bool optional = word.ends_with('?');
    if (optional) word.remove_suffix(1);
    signature.parameters.push_back({word, optional});
  }
  return signature;
}

tl::unexpected<Error> failCall(const Builtin& builtin, std::string_view problem) {
  return failRender(std::string(builtin.name) + "() " + std::string(problem));
}

Result<Bound> bind(const Builtin& builtin, Arguments arguments) {
  const Signature signature = readSignature(builtin.signature);
  const auto& parameters = signature.parameters;
  std::vector<std::optional<Value>> values(parameters.size());
  Arguments spare;
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i < values.size()) {
      values[i] = std::move(arguments.positional[i]);
    } else if (signature.takesSpare) {
      spare.positional.push_back(std::move(arguments.positional[i]));
    } else {
      return failCall(builtin, "takes " + std::to_string(values.size()) + " arguments at most");
    }
  }
  for (auto& [name, value] : arguments.named) {
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&wanted = name](const Parameter& p) { return p.name == wanted; });
    if (parameter == parameters.end()) {
      if (!signature.takesSpare) return failCall(builtin, "got an unexpected argument '" + name + "'");
      spare.named.emplace_back(std::move(name), std::move(value));
      continue;
    }
    auto& slot = values[static_cast<size_t>(parameter - parameters.begin())];
    if (slot) return failCall(builtin, "got two values for its argument '" + name + "'");
    slot = std::move(value);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] && !parameters[i].optional) {
      return failCall(builtin, "misses its argument '" + std::string(parameters[i].name) + "'");
    }
  }
  return Bound(std::move(values), std::move(spare));
}

}  // namespace

const Value* Bound::at(size_t parameter) const {
  return values_[parameter] ? &*values_[parameter] : nullptr;
}

bool Bound::absent(size_t parameter) const {
  return !values_[parameter] || values_[parameter]->isNone();
}

Result<int64_t> Bound::integer(size_t parameter, int64_t otherwise) const {
  if (!values_[parameter]) return otherwise;
  if (const auto integer = integerOf(*values_[parameter])) return *integer;
  return failRender("an int is needed, not " + std::string(values_[parameter]->typeName()));
}

bool Bound::truth(size_t parameter, bool otherwise) const {
  return values_[parameter] ? values_[parameter]->truth() : otherwise;
}

Result<Text> Bound::text(size_t parameter, std::string_view otherwise) const {
  if (!values_[parameter]) return Text(std::string(otherwise), Origin::templateText);
  if (const auto* text = values_[parameter]->as<Text>()) return *text;
  return failRender("a str is needed, not " + std::string(values_[parameter]->typeName()));
}

Result<Value> callBuiltin(const Builtin& builtin, Interpreter& interpreter, const Value& self,
                          Arguments arguments) {
  if (const auto* text = self.as<Text>()) ORTHROS_TRY(interpreter.work().charge(text->size() / 4));
  ORTHROS_ASSIGN(const Bound bound, bind(builtin, std::move(arguments)));
  return builtin.function(interpreter, self, bound);
}

const Builtin* findFilter(std::string_view name) {
  static const Table table =
      makeTable({textFilters(), numberFilters(), sequenceFilters(), selectionFilters()});
  return findIn(table, name);
}

const Builtin* findTest(std::string_view name) {
  static const Table table = makeTable({valueTests()});
  return findIn(table, name);
}

const Builtin* findMethod(const Value& self, std::string_view name) {
  static const Table ofText = makeTable({textMethods(), textQueryMethods()});
  static const Table ofMapping = makeTable({mappingMethods()});
  static const Table ofList = makeTable({listMethods()});
  if (self.as<Text>() != nullptr) return findIn(ofText, name);
  if (self.asMapping() != nullptr) return findIn(ofMapping, name);
  const auto* sequence = self.asSequence();
  return sequence != nullptr && sequence->isIndexable() ? findIn(ofList, name) : nullptr;
}

}  // namespace orthros::text::jinja
