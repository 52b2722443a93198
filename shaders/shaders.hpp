// The compute shaders, embedded as SPIR-V. Variants are listed in shaders/CMakeLists.txt.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orthros::shaders {

// The SPIR-V words of a variant; empty where the build has none of that name. Lives as long as the program.
std::span<const uint32_t> find(std::string_view name);

// Every variant of this build, sorted.
std::vector<std::string_view> names();

}  // namespace orthros::shaders
