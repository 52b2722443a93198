#include "engine/text/jinja/loop.hpp"

#include "engine/text/jinja/compare.hpp"

namespace orthros::text::jinja {

Result<std::shared_ptr<LoopState>> LoopState::start(std::shared_ptr<const Sequence> source, Filter filter) {
  if (source->depth >= maxValueDepth) {
    return fail(ErrorCode::unsupported, "",
                "nests values deeper than " + std::to_string(maxValueDepth) + " levels");
  }
  auto loop = std::make_shared<LoopState>();
  loop->depth_ = source->depth + 1;
  loop->source_ = std::move(source);
  loop->filter_ = std::move(filter);
  return loop;
}

Result<bool> LoopState::fetch() {
  while (source_ && position_ < source_->items.size()) {
    const Value& item = source_->items[position_++];
    if (filter_) {
      ORTHROS_ASSIGN(const bool taken, filter_(item));
      if (!taken) continue;
    }
    ahead_.push_back(item);
    return true;
  }
  return false;
}

Result<bool> LoopState::advance() {
  if (ahead_.empty()) {
    ORTHROS_ASSIGN(const bool fetched, fetch());
    if (!fetched) return false;
  }
  previous_ = std::move(current_);
  current_ = std::move(ahead_.front());
  ahead_.pop_front();
  ++index0_;
  return true;
}

void LoopState::finish() {
  source_.reset();
  filter_ = nullptr;
  ahead_.clear();
  lastChanged_.reset();
}

Result<int64_t> LoopState::length() {
  if (!filter_ && source_) return static_cast<int64_t>(source_->items.size());
  for (;;) {
    ORTHROS_ASSIGN(const bool fetched, fetch());
    if (!fetched) return index0_ + 1 + static_cast<int64_t>(ahead_.size());
  }
}

Result<std::optional<Value>> LoopState::attribute(std::string_view name) {
  if (name == "index") return Value(index0_ + 1);
  if (name == "index0") return Value(index0_);
  if (name == "first") return Value(index0_ == 0);
  if (name == "depth") return Value(int64_t{1});
  if (name == "depth0") return Value(int64_t{0});
  if (name == "previtem")
    return previous_ ? *previous_ : Value::undefined("the first turn of a loop has no previous item");
  if (name == "length" || name == "revindex" || name == "revindex0") {
    ORTHROS_ASSIGN(const int64_t all, length());
    if (name == "length") return Value(all);
    return Value(name == "revindex" ? all - index0_ : all - index0_ - 1);
  }
  if (name == "last" || name == "nextitem") {
    if (ahead_.empty()) ORTHROS_TRY(fetch());
    if (name == "last") return Value(ahead_.empty());
    return ahead_.empty() ? Value::undefined("the last turn of a loop has no next item") : ahead_.front();
  }
  return std::nullopt;
}

Result<Value> LoopState::cycle(const std::vector<Value>& choices) const {
  if (choices.empty()) return failRender("cycle() has nothing to choose from");
  return choices[static_cast<size_t>(index0_) % choices.size()];
}

Result<bool> LoopState::changed(const Value& values, Work& work) {
  if (!source_) return true;  // over: keeping the values could make the loop hold itself
  if (lastChanged_) {
    ORTHROS_ASSIGN(const bool same, equal(*lastChanged_, values, work));
    if (same) return false;
  }
  lastChanged_ = values;
  return true;
}

}  // namespace orthros::text::jinja
