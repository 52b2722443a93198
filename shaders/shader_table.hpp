// What the generated table of shader variants looks like.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace orthros::shaders {

struct Variant {
  std::string_view name;
  std::span<const uint32_t> (*words)();
};

// Sorted by name.
std::span<const Variant> variants();

}  // namespace orthros::shaders
