#include "engine/session/manifest.hpp"

#include <nlohmann/json.hpp>

#include "engine/base/file.hpp"
#include "engine/base/paths.hpp"

namespace orthros::session {
namespace {

using nlohmann::json;

constexpr uint64_t manifestLimitBytes = 1 << 20;
constexpr const char* reinstall = "Install the program again";

tl::unexpected<Error> wrong(const std::string& field, const char* happened) {
  return fail(ErrorCode::malformed, "manifest.json field " + field, happened, reinstall);
}

// A file name without a folder: a manifest cannot point outside its folders.
bool isPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos;
}

Result<ManifestFile> parseFile(const json& object, const std::string& field) {
  if (!object.contains(field) || !object[field].is_object()) return wrong(field, "is missing");
  const json& from = object[field];
  ManifestFile file;
  try {
    from.at("file").get_to(file.file);
    from.at("bytes").get_to(file.bytes);
    from.at("sha256").get_to(file.sha256);
    from.at("licence").get_to(file.licence);
  } catch (const json::exception& exception) {
    return wrong(field, exception.what());
  }
  if (!isPlainName(file.file)) return wrong(field + ".file", "is not a file name");
  if (file.sha256.size() != 64 || file.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return wrong(field + ".sha256", "is not 64 hexadecimal digits");
  }
  return file;
}

}  // namespace

Result<Manifest> parseManifest(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object())
    return fail(ErrorCode::malformed, "manifest.json", "is not a JSON object", reinstall);
  if (root.value("version", json()) != 1) {
    return fail(ErrorCode::unsupported, "manifest.json field version", "is not 1", reinstall);
  }
  if (!root.contains("default") || !root["default"].is_object()) return wrong("default", "is missing");
  const json& shipped = root["default"];
  Manifest manifest;
  try {
    shipped.at("name").get_to(manifest.name);
    shipped.at("plan").get_to(manifest.plan);
  } catch (const json::exception& exception) {
    return wrong("default", exception.what());
  }
  ORTHROS_ASSIGN(manifest.base, parseFile(shipped, "base"));
  ORTHROS_ASSIGN(manifest.adapter, parseFile(shipped, "adapter"));
  return manifest;
}

Result<Manifest> readManifest() {
  ORTHROS_ASSIGN(const auto resources, resourcesFolder());
  ORTHROS_ASSIGN(const std::string text,
                 readFile(resources / "models" / "manifest.json", manifestLimitBytes));
  return parseManifest(text);
}

Result<std::filesystem::path> locate(const std::filesystem::path& folder, const ManifestFile& file,
                                     const char* nextStep) {
  const std::filesystem::path path = folder / file.file;
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (error) return fail(ErrorCode::notFound, path.string(), "is not there", nextStep);
  if (bytes != file.bytes) {
    return fail(ErrorCode::mismatch, path.string(),
                "has " + std::to_string(bytes) + " bytes instead of " + std::to_string(file.bytes),
                std::string("Delete it. ") + nextStep);
  }
  return path;
}

}  // namespace orthros::session
