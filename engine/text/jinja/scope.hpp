// Variables by name; a child scope sees its parent's but sets only its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/jinja/value.hpp"

namespace orthros::text::jinja {

class Scope {
 public:
  explicit Scope(std::shared_ptr<Scope> parent = nullptr) : parent_(std::move(parent)) {}

  // Null where neither this scope nor one around it has the name.
  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
      for (const auto& [key, value] : scope->variables_) {
        if (key == name) return &value;
      }
    }
    return nullptr;
  }

  void set(std::string_view name, Value value) {
    for (auto& [key, held] : variables_) {
      if (key == name) {
        held = std::move(value);
        return;
      }
    }
    variables_.emplace_back(std::string(name), std::move(value));
  }

 private:
  std::shared_ptr<Scope> parent_;
  std::vector<std::pair<std::string, Value>> variables_;
};

}  // namespace orthros::text::jinja
