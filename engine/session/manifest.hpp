// resources/models/manifest.json: the shipped model's files, their sizes and hashes, and where they come
// from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace orthros::session {

struct ManifestFile {
  std::string file;  // name only
  uint64_t bytes = 0;
  std::string sha256;  // 64 hex digits
  std::string licence;
};

struct Manifest {
  std::string name;      // of the whole: "SmolLM2-135M-Instruct Orthros"
  ManifestFile base;     // in the cache folder's models/
  ManifestFile adapter;  // in the resources folder's models/
  std::string plan;      // empty: the adapter's own
};

// Errors name the field: notFound, malformed, unsupported.
Result<Manifest> parseManifest(std::string_view json);
Result<Manifest> readManifest();

// `folder`/`file.file`, which must exist with the right size. The hash is checked when the file is fetched.
Result<std::filesystem::path> locate(const std::filesystem::path& folder, const ManifestFile& file,
                                     const char* nextStep);

}  // namespace orthros::session
