#include "shaders/shaders.hpp"

#include <algorithm>

#include "shaders/shader_table.hpp"

namespace orthros::shaders {

std::span<const uint32_t> find(std::string_view name) {
  const auto table = variants();
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const Variant& variant, std::string_view key) { return variant.name < key; });
  if (found == table.end() || found->name != name) return {};
  return found->words();
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Variant& variant : variants()) list.push_back(variant.name);
  return list;
}

}  // namespace orthros::shaders
