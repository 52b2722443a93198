// Runs a parsed template once. Undefined values behave as Jinja's default: they print as nothing and are
// false, but reaching into them or computing with them is an error.
#pragma once

#include <ctime>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/ast.hpp"
#include "engine/text/jinja/builtin.hpp"
#include "engine/text/jinja/limits.hpp"
#include "engine/text/jinja/scope.hpp"

namespace orthros::text::jinja {

using Variables = std::vector<std::pair<std::string, Value>>;

class Evaluator final : public Interpreter {
 public:
  // `now` is the local time that strftime_now() shows.
  Evaluator(const Limits& limits, const std::tm& now);

  // The output of the template. Errors name the line; one that the template raised itself is invalidArgument.
  // Call it once per Evaluator.
  Result<Text> render(const Block& block, Variables variables);

  Result<Value> applyFilter(std::string_view name, const Value& target, Arguments arguments) override;
  Result<bool> applyTest(std::string_view name, const Value& target, Arguments arguments) override;
  Work& work() override { return work_; }

 private:
  enum class Flow : uint8_t { onward, breakLoop, continueLoop };
  class Depth;
  class Inner;

  // Expressions.
  Result<Value> evaluate(const Expression& expression);
  Result<Value> eval(const Literal& node);
  Result<Value> eval(const NameReference& node);
  Result<Value> eval(const SequenceLiteral& node);
  Result<Value> eval(const MappingLiteral& node);
  Result<Value> eval(const AttributeAccess& node);
  Result<Value> eval(const ItemAccess& node);
  Result<Value> eval(const SliceAccess& node);
  Result<Value> eval(const UnaryOperation& node);
  Result<Value> eval(const BinaryOperation& node);
  Result<Value> eval(const LogicalOperation& node);
  Result<Value> eval(const Comparison& node);
  Result<Value> eval(const Concatenation& node);
  Result<Value> eval(const ConditionalExpression& node);
  Result<Value> eval(const CallExpression& node);
  Result<Value> eval(const FilterExpression& node);
  Result<Value> eval(const TestExpression& node);
  Result<bool> compare(CompareOperator op, const Value& left, const Value& right);
  Result<Value> call(const Value& callee, Arguments arguments);
  Result<Arguments> evaluateArguments(const CallArguments& arguments);
  Status spreadNamed(const Value& mapping, Arguments& into);
  Result<Value> applyFilters(const std::vector<FilterUse>& filters, Value value);

  // Statements.
  Result<Flow> execute(const Block& block, TextBuilder& out);
  Result<Flow> run(const OutputText& node, TextBuilder& out);
  Result<Flow> run(const OutputExpression& node, TextBuilder& out);
  Result<Flow> run(const ForStatement& node, TextBuilder& out);
  Result<Flow> run(const IfStatement& node, TextBuilder& out);
  Result<Flow> run(const SetStatement& node, TextBuilder& out);
  Result<Flow> run(const SetBlockStatement& node, TextBuilder& out);
  Result<Flow> run(const FilterBlockStatement& node, TextBuilder& out);
  Result<Flow> run(const WithStatement& node, TextBuilder& out);
  Result<Flow> run(const MacroStatement& node, TextBuilder& out);
  Result<Flow> run(const CallBlockStatement& node, TextBuilder& out);
  Result<Flow> run(const ScopedStatement& node, TextBuilder& out);
  Result<Flow> run(const BreakStatement& node, TextBuilder& out);
  Result<Flow> run(const ContinueStatement& node, TextBuilder& out);
  Result<Flow> runLoop(const ForStatement& node, const std::shared_ptr<class LoopState>& loop,
                       TextBuilder& out);
  Status assign(const Target& target, const Value& value);
  Status assignParts(const Target& target, const Value& value);
  Status print(const Value& value, TextBuilder& out);

  // Macros and global functions.
  Value makeMacro(const MacroDefinition& macro);
  Result<Value> callMacro(const MacroDefinition& macro, const std::shared_ptr<Scope>& definedIn,
                          Arguments arguments);
  Status bindParameters(const MacroDefinition& macro, Arguments& arguments);
  Status bindSpare(const MacroDefinition& macro, Arguments& arguments);
  void addGlobal(std::string name, Result<Value> (Evaluator::*function)(Arguments));
  Result<Value> rangeFunction(Arguments arguments);
  Result<Value> namespaceFunction(Arguments arguments);
  Result<Value> dictFunction(Arguments arguments);
  Result<Value> raiseFunction(Arguments arguments);
  Result<Value> timeFunction(Arguments arguments);

  const Limits limits_;
  const std::tm now_;
  Work work_;
  std::unordered_map<std::string_view, Value> globals_;
  std::deque<Namespace> namespaces_;
  std::shared_ptr<Scope> scope_;
  uint32_t depth_ = 0;
  uint64_t iterations_ = 0;
};

// Counts expressions, blocks and macros under way, so that recursion ends in an error.
class Evaluator::Depth {
 public:
  explicit Depth(Evaluator& evaluator) : evaluator_(evaluator) { ++evaluator_.depth_; }
  ~Depth() { --evaluator_.depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  Status check() const {
    if (evaluator_.depth_ <= evaluator_.limits_.evaluationDepth) return {};
    return fail(ErrorCode::unsupported, "",
                "goes deeper than " + std::to_string(evaluator_.limits_.evaluationDepth) + " levels");
  }

 private:
  Evaluator& evaluator_;
};

// A scope of its own until the end of a C++ block, inside the current scope or another one.
class Evaluator::Inner {
 public:
  explicit Inner(Evaluator& evaluator) : Inner(evaluator, evaluator.scope_) {}
  Inner(Evaluator& evaluator, std::shared_ptr<Scope> parent)
      : evaluator_(evaluator), outer_(std::move(evaluator.scope_)) {
    evaluator_.scope_ = std::make_shared<Scope>(std::move(parent));
  }
  ~Inner() { evaluator_.scope_ = std::move(outer_); }
  Inner(const Inner&) = delete;
  Inner& operator=(const Inner&) = delete;

 private:
  Evaluator& evaluator_;
  std::shared_ptr<Scope> outer_;
};

}  // namespace orthros::text::jinja
