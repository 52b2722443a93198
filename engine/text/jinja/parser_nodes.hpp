// How the parser makes an expression: the node's height is one more than that of its highest part.
#pragma once

#include <algorithm>

#include "engine/text/jinja/parser.hpp"

namespace orthros::text::jinja {

inline uint32_t heightOf(const ExpressionPtr& part) {
  return part ? part->height : 0;
}

template <class Node>
uint32_t heightOf(const Node& node) requires requires {
  node.parts();
};

template <class First, class Second>
uint32_t heightOf(const std::pair<First, Second>& entry);

template <class Part>
uint32_t heightOf(const std::vector<Part>& parts) {
  uint32_t height = 0;
  for (const auto& part : parts) height = std::max(height, heightOf(part));
  return height;
}

template <class First, class Second>
uint32_t heightOf(const std::pair<First, Second>& entry) {
  if constexpr (std::is_same_v<First, ExpressionPtr>) {
    return std::max(heightOf(entry.first), heightOf(entry.second));
  } else {
    return heightOf(entry.second);
  }
}

template <class Node>
uint32_t heightOf(const Node& node) requires requires {
  node.parts();
}
{
  return std::apply(
      [](const auto&... parts) {
        uint32_t height = 0;
        ((height = std::max(height, heightOf(parts))), ...);
        return height;
      },
      node.parts());
}

template <class Node>
Result<ExpressionPtr> Parser::make(int line, Node node) {
  const uint32_t height = 1 + heightOf(node);
  if (height > limits_.expressionDepth) {
    return failAtLine(
        line, "holds an expression of more than " + std::to_string(limits_.expressionDepth) + " levels",
        ErrorCode::unsupported);
  }
  auto expression = std::make_unique<Expression>();
  expression->line = line;
  expression->height = height;
  expression->node = std::move(node);
  return expression;
}

}  // namespace orthros::text::jinja
