// Where the program finds its own files: the user's cache folder, and its read-only resources.
#pragma once

#include <filesystem>

#include "engine/base/result.hpp"

namespace orthros {

// $XDG_CACHE_HOME/orthros or ~/.cache/orthros: fetched models, pipeline caches. Not created.
Result<std::filesystem::path> cacheFolder();

// The resources folder: beside the executable's installation, or in the source tree of a development build.
Result<std::filesystem::path> resourcesFolder();

}  // namespace orthros
