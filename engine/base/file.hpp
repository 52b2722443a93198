// Files: memory-mapped reading, whole reads with a size limit, atomic writing. The engine calls POSIX here
// and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "engine/base/result.hpp"

namespace orthros {

// A file mapped read-only. Move-only; unmaps on destruction. The mapping outlives a deletion of the file.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  MappedFile() = default;
  void unmap();

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// The whole file as bytes; an error above `limitBytes`.
Result<std::string> readFile(const std::filesystem::path& path, uint64_t limitBytes);

// Receives pieces of a file that is being written; false once the disk refused one.
using FileSink = std::function<bool(std::span<const std::byte>)>;

// Writes to a temporary file beside `path`, syncs it and renames it over `path`: after any failure, also a
// power cut, `path` holds either the old contents or all of the new ones.
Status writeFileAtomically(const std::filesystem::path& path,
                           const std::function<Status(const FileSink&)>& write);
Status writeFileAtomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace orthros
