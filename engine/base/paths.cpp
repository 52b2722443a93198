#include "engine/base/paths.hpp"

#include <cstdlib>

namespace orthros {
namespace {

std::filesystem::path executableFolder() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : executable.parent_path();
}

}  // namespace

Result<std::filesystem::path> cacheFolder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg && *xdg == '/') return std::filesystem::path(xdg) / "orthros";
  const char* home = std::getenv("HOME");
  if (home && *home) return std::filesystem::path(home) / ".cache" / "orthros";
  return fail(ErrorCode::notFound, "cache folder", "neither XDG_CACHE_HOME nor HOME is set",
              "Set one of them");
}

Result<std::filesystem::path> resourcesFolder() {
  const std::filesystem::path candidates[] = {executableFolder() / "../share/orthros",
                                              ORTHROS_SOURCE_RESOURCES};
  for (const auto& candidate : candidates) {
    std::error_code error;
    if (std::filesystem::is_directory(candidate / "models", error)) return candidate.lexically_normal();
  }
  return fail(ErrorCode::notFound, "resources folder", "is not beside the program",
              "Install the program again");
}

}  // namespace orthros
