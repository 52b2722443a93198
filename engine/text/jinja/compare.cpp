#include "engine/text/jinja/compare.hpp"

#include <algorithm>

namespace orthros::text::jinja {
namespace {

// Wide enough to hold every int64 and every double exactly where long double has 64 bits of mantissa.
std::optional<long double> numberOf(const Value& value) {
  if (const auto* number = value.as<double>()) return static_cast<long double>(*number);
  if (const auto integer = integerOf(value)) return static_cast<long double>(*integer);
  return std::nullopt;
}

Result<bool> equalParts(const Value& a, const Value& b, Work& work);

Result<bool> equalItems(const Sequence& a, const Sequence& b, Work& work) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.kind == SequenceKind::generator) return &a == &b;
  for (size_t i = 0; i < a.items.size(); ++i) {
    ORTHROS_ASSIGN(const bool same, equalParts(a.items[i], b.items[i], work));
    if (!same) return false;
  }
  return true;
}

Result<bool> equalEntries(const Mapping& a, const Mapping& b, Work& work) {
  if (a.entries.size() != b.entries.size()) return false;
  for (const auto& [key, value] : a.entries) {
    const Value* other = b.find(key);
    if (other == nullptr) return false;
    ORTHROS_ASSIGN(const bool same, equalParts(value, *other, work));
    if (!same) return false;
  }
  return true;
}

Result<bool> equalParts(const Value& a, const Value& b, Work& work) {
  ORTHROS_TRY(work.charge(1));
  const auto x = numberOf(a);
  const auto y = numberOf(b);
  if (x && y) return *x == *y;
  if (a.isUndefined() || b.isUndefined()) return a.isUndefined() && b.isUndefined();
  const auto* first = a.as<Text>();
  const auto* second = b.as<Text>();
  if (first != nullptr && second != nullptr) {
    if (first->size() != second->size()) return false;
    ORTHROS_TRY(work.charge(first->size() / 64));
    return first->bytes() == second->bytes();
  }
  if (a.asSequence() != nullptr && b.asSequence() != nullptr) {
    return equalItems(*a.asSequence(), *b.asSequence(), work);
  }
  if (a.asMapping() != nullptr && b.asMapping() != nullptr)
    return equalEntries(*a.asMapping(), *b.asMapping(), work);
  return a.identical(b);
}

tl::unexpected<Error> failOrder(const Value& a, const Value& b) {
  for (const Value* side : {&a, &b}) {
    if (const auto* undefined = side->as<Undefined>()) return failRender(*undefined->reason);
  }
  return failRender(std::string(a.typeName()) + " and " + std::string(b.typeName()) + " have no order");
}

Result<bool> lessSequence(const Sequence& a, const Sequence& b, Work& work) {
  const size_t common = std::min(a.items.size(), b.items.size());
  for (size_t i = 0; i < common; ++i) {
    ORTHROS_ASSIGN(const bool same, equalParts(a.items[i], b.items[i], work));
    if (!same) return lessThan(a.items[i], b.items[i], work);
  }
  return a.items.size() < b.items.size();
}

}  // namespace

Result<bool> equal(const Value& a, const Value& b, Work& work) {
  return equalParts(a, b, work);
}

Result<bool> lessThan(const Value& a, const Value& b, Work& work) {
  ORTHROS_TRY(work.charge(1));
  const auto x = numberOf(a);
  const auto y = numberOf(b);
  if (x && y) return *x < *y;
  const auto* first = a.as<Text>();
  const auto* second = b.as<Text>();
  if (first != nullptr && second != nullptr) return first->bytes() < second->bytes();
  const auto* left = a.asSequence();
  const auto* right = b.asSequence();
  if (left != nullptr && right != nullptr && left->kind == right->kind && left->isIndexable()) {
    return lessSequence(*left, *right, work);
  }
  return failOrder(a, b);
}

Result<bool> contains(const Value& container, const Value& item, Work& work) {
  if (const auto* text = container.as<Text>()) {
    const auto* part = item.as<Text>();
    if (part == nullptr) {
      return failRender("a str can hold a str, not " + std::string(item.typeName()));
    }
    ORTHROS_TRY(work.charge(text->size() / 16));
    return text->bytes().find(part->bytes()) != std::string_view::npos;
  }
  if (const auto* mapping = container.asMapping()) {
    if (!hashKey(item)) return failRender(std::string(item.typeName()) + " cannot be a key");
    return mapping->find(item) != nullptr;
  }
  if (container.isUndefined()) return false;
  const auto* sequence = container.asSequence();
  if (sequence == nullptr) {
    return failRender(std::string(container.typeName()) + " holds nothing to search with `in`");
  }
  for (const Value& candidate : sequence->items) {
    ORTHROS_ASSIGN(const bool same, equal(candidate, item, work));
    if (same) return true;
  }
  return false;
}

}  // namespace orthros::text::jinja
