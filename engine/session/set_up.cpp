#include "engine/session/set_up.hpp"

#include "engine/base/paths.hpp"
#include "engine/session/manifest.hpp"

namespace orthros::session {
namespace {

Result<std::filesystem::path> locateBase(const Manifest& manifest) {
  ORTHROS_ASSIGN(const auto cache, cacheFolder());
  return locate(cache / "models", manifest.base, "Run app/run.sh, which fetches it");
}

}  // namespace

Result<SetUp> defaultSetUp() {
  ORTHROS_ASSIGN(const Manifest manifest, readManifest());
  ORTHROS_ASSIGN(const auto resources, resourcesFolder());
  SetUp setUp;
  ORTHROS_ASSIGN(setUp.model, locateBase(manifest));
  ORTHROS_ASSIGN(setUp.adapter, locate(resources / "models", manifest.adapter, "Install the program again"));
  setUp.plan = manifest.plan;
  return setUp;
}

Result<SetUp> baselineSetUp() {
  ORTHROS_ASSIGN(const Manifest manifest, readManifest());
  SetUp setUp;
  ORTHROS_ASSIGN(setUp.model, locateBase(manifest));
  setUp.plan = "vanilla";
  return setUp;
}

}  // namespace orthros::session
