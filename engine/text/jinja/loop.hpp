// One for loop under way: hands out its items, looking ahead only when the template asks about what follows,
// and answers the attributes of the variable `loop`.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

class LoopState {
 public:
  // Whether the loop takes an item; empty where the loop has no `if`.
  using Filter = std::function<Result<bool>(const Value&)>;

  // Error: the items nest too deep.
  static Result<std::shared_ptr<LoopState>> start(std::shared_ptr<const Sequence> source, Filter filter);

  // Moves to the next item; false when there is none.
  Result<bool> advance();
  const Value& current() const { return *current_; }
  // After the loop: no more items, nothing held.
  void finish();

  // An attribute that is not a method ("index", "last", "previtem", ...); nothing if unknown.
  Result<std::optional<Value>> attribute(std::string_view name);
  Result<Value> cycle(const std::vector<Value>& choices) const;
  // Whether `values` differ from those of the last call.
  Result<bool> changed(const Value& values, Work& work);
  Result<int64_t> length();

  int64_t index0() const { return index0_; }
  uint64_t weight() const { return source_ ? source_->weight : 1; }
  uint32_t depth() const { return depth_; }

 private:
  Result<bool> fetch();

  std::shared_ptr<const Sequence> source_;
  Filter filter_;
  size_t position_ = 0;  // of the next item in source_
  std::deque<Value> ahead_;
  std::optional<Value> current_;
  std::optional<Value> previous_;
  std::optional<Value> lastChanged_;
  int64_t index0_ = -1;
  uint32_t depth_ = 1;
};

}  // namespace orthros::text::jinja
