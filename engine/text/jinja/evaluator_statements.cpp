// The evaluator's statements.
#include "engine/text/jinja/access.hpp"
#include "engine/text/jinja/evaluator.hpp"
#include "engine/text/jinja/lexer.hpp"
#include "engine/text/jinja/loop.hpp"
#include "engine/text/jinja/print.hpp"

namespace orthros::text::jinja {

Result<Text> Evaluator::render(const Block& block, Variables variables) {
  scope_ = std::make_shared<Scope>();
  for (auto& [name, value] : variables) scope_->set(name, std::move(value));
  const Inner inner(*this);
  TextBuilder out;
  ORTHROS_TRY(execute(block, out));
  auto text = out.finish();
  if (!text) return fail(withLine(std::move(text).error(), 1));
  return text;
}

Result<Evaluator::Flow> Evaluator::execute(const Block& block, TextBuilder& out) {
  const Depth depth(*this);
  for (const Statement& statement : block) {
    Status begun = depth.check();
    if (begun) begun = work_.charge(1);
    if (!begun) return fail(withLine(std::move(begun).error(), statement.line));
    auto flow = std::visit([&](const auto& node) { return run(node, out); }, statement.node);
    if (!flow) return fail(withLine(std::move(flow).error(), statement.line));
    if (*flow != Flow::onward) return flow;
  }
  return Flow::onward;
}

Status Evaluator::print(const Value& value, TextBuilder& out) {
  ORTHROS_ASSIGN(const Text text, toText(value, work_));
  ORTHROS_TRY(work_.charge(text.size() / 16));
  out.append(text);
  return {};
}

Result<Evaluator::Flow> Evaluator::run(const OutputText& node, TextBuilder& out) {
  ORTHROS_TRY(work_.charge(node.text.size() / 16));
  out.append(node.text);
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const OutputExpression& node, TextBuilder& out) {
  ORTHROS_ASSIGN(const Value value, evaluate(*node.expression));
  ORTHROS_TRY(print(value, out));
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const ForStatement& node, TextBuilder& out) {
  ORTHROS_ASSIGN(const Value iterable, evaluate(*node.iterable));
  ORTHROS_ASSIGN(auto items, iterate(iterable, work_));
  LoopState::Filter filter;
  if (node.filter) {
    filter = [this, &node, outer = scope_](const Value& item) -> Result<bool> {
      const Inner inner(*this, outer);
      ORTHROS_TRY(assign(node.target, item));
      ORTHROS_ASSIGN(const Value taken, evaluate(*node.filter));
      return taken.truth();
    };
  }
  ORTHROS_ASSIGN(const auto loop, LoopState::start(std::move(items), std::move(filter)));
  auto flow = runLoop(node, loop, out);
  const bool ran = loop->index0() >= 0;
  loop->finish();
  if (!flow || ran || !node.otherwise) return flow;
  const Inner inner(*this);
  return execute(*node.otherwise, out);
}

Result<Evaluator::Flow> Evaluator::runLoop(const ForStatement& node, const std::shared_ptr<LoopState>& loop,
                                           TextBuilder& out) {
  for (;;) {
    ORTHROS_ASSIGN(const bool more, loop->advance());
    if (!more) return Flow::onward;
    if (++iterations_ > limits_.loopIterations) {
      return fail(ErrorCode::unsupported, "",
                  "loops more than " + std::to_string(limits_.loopIterations) + " times");
    }
    const Inner inner(*this);
    scope_->set("loop", Value(loop));
    ORTHROS_TRY(assign(node.target, loop->current()));
    ORTHROS_ASSIGN(const Flow flow, execute(*node.body, out));
    if (flow == Flow::breakLoop) return Flow::onward;
  }
}

Result<Evaluator::Flow> Evaluator::run(const IfStatement& node, TextBuilder& out) {
  for (const auto& [condition, body] : node.branches) {
    ORTHROS_ASSIGN(const Value holds, evaluate(*condition));
    if (holds.truth()) return execute(body, out);
  }
  return node.otherwise ? execute(*node.otherwise, out) : Result<Flow>(Flow::onward);
}

Status Evaluator::assign(const Target& target, const Value& value) {
  if (target.unpacks) return assignParts(target, value);
  if (target.attribute.empty()) {
    scope_->set(target.name, value);
    return {};
  }
  const Value* held = scope_->find(target.name);
  Namespace* space = held != nullptr ? held->asNamespace() : nullptr;
  if (space == nullptr)
    return failRender("only a namespace's attributes can be set, and '" + target.name + "' is none");
  space->set(target.attribute, value);
  return {};
}

Status Evaluator::assignParts(const Target& target, const Value& value) {
  ORTHROS_TRY(requireDefined(value));
  ORTHROS_ASSIGN(const auto items, iterate(value, work_));
  if (items->items.size() != target.parts.size()) {
    return failRender(std::to_string(items->items.size()) + " values do not fit " +
                      std::to_string(target.parts.size()) + " names");
  }
  for (size_t i = 0; i < target.parts.size(); ++i) ORTHROS_TRY(assign(target.parts[i], items->items[i]));
  return {};
}

Result<Evaluator::Flow> Evaluator::run(const SetStatement& node, TextBuilder&) {
  ORTHROS_ASSIGN(const Value value, evaluate(*node.value));
  ORTHROS_TRY(assign(node.target, value));
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const SetBlockStatement& node, TextBuilder&) {
  TextBuilder body;
  {
    const Inner inner(*this);
    ORTHROS_ASSIGN(const Flow flow, execute(*node.body, body));
    if (flow != Flow::onward) return flow;
  }
  ORTHROS_ASSIGN(Text text, body.finish());
  ORTHROS_ASSIGN(const Value value, applyFilters(node.filters, Value(std::move(text))));
  ORTHROS_TRY(assign(node.target, value));
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const FilterBlockStatement& node, TextBuilder& out) {
  TextBuilder body;
  {
    const Inner inner(*this);
    ORTHROS_ASSIGN(const Flow flow, execute(*node.body, body));
    if (flow != Flow::onward) return flow;
  }
  ORTHROS_ASSIGN(Text text, body.finish());
  ORTHROS_ASSIGN(const Value value, applyFilters(node.filters, Value(std::move(text))));
  ORTHROS_TRY(print(value, out));
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const WithStatement& node, TextBuilder& out) {
  std::vector<Value> values;  // all evaluated outside the new scope
  for (const auto& binding : node.bindings) {
    ORTHROS_ASSIGN(Value value, evaluate(*binding.second));
    values.push_back(std::move(value));
  }
  const Inner inner(*this);
  for (size_t i = 0; i < values.size(); ++i) ORTHROS_TRY(assign(node.bindings[i].first, values[i]));
  return execute(*node.body, out);
}

Result<Evaluator::Flow> Evaluator::run(const MacroStatement& node, TextBuilder&) {
  scope_->set(node.macro->name, makeMacro(*node.macro));
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const CallBlockStatement& node, TextBuilder& out) {
  const auto& callNode = std::get<CallExpression>(node.call->node);
  ORTHROS_ASSIGN(const Value callee, evaluate(*callNode.callee));
  ORTHROS_ASSIGN(Arguments arguments, evaluateArguments(callNode.arguments));
  arguments.named.emplace_back("caller", makeMacro(*node.body));
  ORTHROS_ASSIGN(const Value value, call(callee, std::move(arguments)));
  ORTHROS_TRY(print(value, out));
  return Flow::onward;
}

Result<Evaluator::Flow> Evaluator::run(const ScopedStatement& node, TextBuilder& out) {
  const Inner inner(*this);
  return execute(*node.body, out);
}

Result<Evaluator::Flow> Evaluator::run(const BreakStatement&, TextBuilder&) {
  return Flow::breakLoop;
}
Result<Evaluator::Flow> Evaluator::run(const ContinueStatement&, TextBuilder&) {
  return Flow::continueLoop;
}

}  // namespace orthros::text::jinja
