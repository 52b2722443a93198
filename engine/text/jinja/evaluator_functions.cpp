// The evaluator's macros and global functions.
#include <algorithm>
#include <iomanip>
#include <locale>
#include <sstream>

#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/evaluator.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {

Evaluator::Evaluator(const Limits& limits, const std::tm& now)
    : limits_(limits), now_(now), work_(limits.work) {
  addGlobal("range", &Evaluator::rangeFunction);
  addGlobal("namespace", &Evaluator::namespaceFunction);
  addGlobal("dict", &Evaluator::dictFunction);
  addGlobal("raise_exception", &Evaluator::raiseFunction);
  addGlobal("strftime_now", &Evaluator::timeFunction);
}

void Evaluator::addGlobal(std::string name, Result<Value> (Evaluator::*function)(Arguments)) {
  Callable callable;
  callable.name = std::move(name);
  callable.invoke = [this, function](Interpreter&, Arguments arguments) {
    return (this->*function)(std::move(arguments));
  };
  const Value value = makeCallable(std::move(callable));
  globals_.emplace(value.asCallable()->name, value);
}

// The macro sees the variables of the place it is defined in, as they are when it is called. It does not keep
// them alive: a scope that holds its own macro would never be freed.
Value Evaluator::makeMacro(const MacroDefinition& macro) {
  Callable callable;
  callable.name = "'" + macro.name + "'";
  callable.typeName = "Macro";
  callable.invoke = [this, &macro, definedIn = std::weak_ptr<Scope>(scope_)](Interpreter&,
                                                                             Arguments arguments) {
    return callMacro(macro, definedIn.lock(), std::move(arguments));
  };
  return makeCallable(std::move(callable));
}

Result<Value> Evaluator::callMacro(const MacroDefinition& macro, const std::shared_ptr<Scope>& definedIn,
                                   Arguments arguments) {
  if (!definedIn)
    return failRender("the macro '" + macro.name + "' is called outside the block that defines it");
  const Depth depth(*this);
  ORTHROS_TRY(depth.check());
  const Inner inner(*this, definedIn);
  ORTHROS_TRY(bindParameters(macro, arguments));
  TextBuilder out;
  ORTHROS_TRY(execute(*macro.body, out));
  return asValue(out.finish());
}

Status Evaluator::bindParameters(const MacroDefinition& macro, Arguments& arguments) {
  const auto& parameters = macro.parameters;
  const size_t given = std::min(arguments.positional.size(), parameters.size());
  for (size_t i = 0; i < given; ++i) scope_->set(parameters[i].first, arguments.positional[i]);
  for (size_t i = given; i < parameters.size(); ++i) {
    const auto& [name, otherwise] = parameters[i];
    const auto named =
        std::find_if(arguments.named.begin(), arguments.named.end(),
                     [&parameter = name](const auto& entry) { return entry.first == parameter; });
    if (named != arguments.named.end()) {
      scope_->set(name, std::move(named->second));
      arguments.named.erase(named);
    } else if (otherwise) {
      ORTHROS_ASSIGN(Value value, evaluate(*otherwise));
      scope_->set(name, std::move(value));
    } else {
      scope_->set(name, Value::undefined("the macro's parameter '" + name + "' is not given"));
    }
  }
  arguments.positional.erase(arguments.positional.begin(),
                             arguments.positional.begin() + static_cast<ptrdiff_t>(given));
  return bindSpare(macro, arguments);
}

Status Evaluator::bindSpare(const MacroDefinition& macro, Arguments& arguments) {
  if (macro.usesCaller) {
    const auto named = std::find_if(arguments.named.begin(), arguments.named.end(),
                                    [](const auto& entry) { return entry.first == "caller"; });
    if (named != arguments.named.end()) {
      scope_->set("caller", std::move(named->second));
      arguments.named.erase(named);
    } else if (std::none_of(macro.parameters.begin(), macro.parameters.end(),
                            [](const auto& parameter) { return parameter.first == "caller"; })) {
      scope_->set("caller", Value::undefined("the macro is not used by a call block"));
    }
  }
  if (macro.usesKwargs) {
    std::vector<Mapping::Entry> entries;
    for (auto& [name, value] : arguments.named) entries.emplace_back(makeText(name), std::move(value));
    ORTHROS_ASSIGN(Value kwargs, makeMapping(std::move(entries)));
    scope_->set("kwargs", std::move(kwargs));
  } else if (!arguments.named.empty()) {
    return failRender("the macro '" + macro.name + "' has no parameter '" + arguments.named.front().first +
                      "'");
  }
  if (macro.usesVarargs) {
    ORTHROS_ASSIGN(Value varargs, makeSequence(SequenceKind::tuple, std::move(arguments.positional)));
    scope_->set("varargs", std::move(varargs));
  } else if (!arguments.positional.empty()) {
    return failRender("the macro '" + macro.name + "' takes " + std::to_string(macro.parameters.size()) +
                      " arguments at most");
  }
  return {};
}

Result<Value> Evaluator::rangeFunction(Arguments arguments) {
  std::vector<int64_t> bounds;
  for (const Value& argument : arguments.positional) {
    const auto integer = integerOf(argument);
    if (!integer) {
      return failRender("range() needs int, not " + std::string(argument.typeName()));
    }
    bounds.push_back(*integer);
  }
  if (bounds.empty() || bounds.size() > 3 || !arguments.named.empty())
    return failRender("range() takes one to three bounds");
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  const int64_t step = bounds.size() == 3 ? bounds[2] : 1;
  if (step == 0) return failRender("range() has a step of zero");
  std::vector<Value> items;
  int64_t value = bounds[0];
  while (step > 0 ? value < bounds[1] : value > bounds[1]) {
    if (static_cast<int64_t>(items.size()) == maxRangeItems) {
      return fail(ErrorCode::unsupported, "",
                  "asks for a range of more than " + std::to_string(maxRangeItems) + " items");
    }
    items.emplace_back(value);
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  ORTHROS_TRY(work_.charge(items.size()));
  return makeSequence(SequenceKind::list, std::move(items));
}

Result<Value> Evaluator::dictFunction(Arguments arguments) {
  std::vector<Mapping::Entry> entries;
  if (arguments.positional.size() > 1) return failRender("dict() takes one mapping or list of pairs");
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional.front();
    if (const auto* mapping = source.asMapping()) {
      entries = mapping->entries;
    } else {
      ORTHROS_ASSIGN(const auto pairs, iterate(source, work_));
      for (const Value& pair : pairs->items) {
        ORTHROS_ASSIGN(const auto parts, iterate(pair, work_));
        if (parts->items.size() != 2) return failRender("dict needs pairs of a key and a value");
        entries.emplace_back(parts->items[0], parts->items[1]);
      }
    }
  }
  for (auto& [name, value] : arguments.named) entries.emplace_back(makeText(name), std::move(value));
  ORTHROS_TRY(work_.charge(entries.size()));
  return makeMapping(std::move(entries));
}

Result<Value> Evaluator::namespaceFunction(Arguments arguments) {
  ORTHROS_TRY(work_.charge(100));  // they live until the rendering ends
  ORTHROS_ASSIGN(const Value attributes, dictFunction(std::move(arguments)));
  Namespace& space = namespaces_.emplace_back();
  for (const auto& [key, value] : attributes.asMapping()->entries) {
    const auto* name = key.as<Text>();
    if (name != nullptr) space.set(std::string(name->bytes()), value);
  }
  return Value(&space);
}

Result<Value> Evaluator::raiseFunction(Arguments arguments) {
  std::string message = "the template refuses this conversation";
  if (!arguments.positional.empty()) {
    ORTHROS_ASSIGN(const Text text, toText(arguments.positional.front(), work_));
    message = text.bytes();
  }
  return fail(ErrorCode::invalidArgument, "", std::move(message),
              "Change the conversation's roles or their order, or use the plain chat format");
}

Result<Value> Evaluator::timeFunction(Arguments arguments) {
  const auto* pattern = arguments.positional.size() == 1 ? arguments.positional.front().as<Text>() : nullptr;
  if (pattern == nullptr) return failRender("strftime_now needs a format");
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::put_time(&now_, std::string(pattern->bytes()).c_str());
  return Value(Text::derived(out.str(), {pattern}));
}

}  // namespace orthros::text::jinja
