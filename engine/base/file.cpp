#include "engine/base/file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orthros {
namespace {

tl::unexpected<Error> systemError(const std::filesystem::path& path, const char* action, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::notFound : ErrorCode::io;
  const char* nextStep = error == ENOENT   ? "Check the path"
                         : error == EACCES ? "Check the permissions"
                         : error == ENOSPC ? "Free some disk space and try again"
                                           : "";
  return fail(code, path.string(), std::string(action) + " failed: " + std::strerror(error), nextStep);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }
  int close() { return ::close(std::exchange(value_, -1)); }

 private:
  int value_;
};

bool writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

void syncFolder(const std::filesystem::path& folder) {
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) ::fsync(descriptor.get());
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return systemError(path, "opening", errno);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return systemError(path, "reading the size", errno);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::io, path.string(), "is not a regular file", "Name a file, not a folder or device");
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<size_t>(status.st_size);
  if (file.size_ == 0) return file;
  void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (data == MAP_FAILED) return systemError(path, "mapping", errno);
  file.data_ = static_cast<const std::byte*>(data);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept {
  *this = std::move(other);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  path_ = std::move(other.path_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::unmap() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
  data_ = nullptr;
}

Result<std::string> readFile(const std::filesystem::path& path, uint64_t limitBytes) {
  ORTHROS_ASSIGN(const MappedFile file, MappedFile::open(path));
  const auto bytes = file.bytes();
  if (bytes.size() > limitBytes)
    return fail(ErrorCode::tooLong, path.string(),
                "has " + std::to_string(bytes.size()) + " bytes, more than the limit of " +
                    std::to_string(limitBytes),
                "Split the file or choose a smaller one");
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status writeFileAtomically(const std::filesystem::path& path,
                           const std::function<Status(const FileSink&)>& write) {
  std::string temporary = path.string() + ".XXXXXX";
  FileDescriptor descriptor(::mkostemp(temporary.data(), O_CLOEXEC));
  if (descriptor.get() < 0) return systemError(path, "creating a temporary file beside it", errno);
  const auto abandon = [&](tl::unexpected<Error> error) -> Status {
    ::unlink(temporary.c_str());
    return error;
  };
  int writeError = 0;
  const Status status = write([&](std::span<const std::byte> bytes) {
    if (writeAll(descriptor.get(), bytes)) return true;
    writeError = errno;
    return false;
  });
  if (writeError != 0) return abandon(systemError(path, "writing", writeError));
  if (!status) return abandon(fail(status.error()));
  if (::fchmod(descriptor.get(), 0644) != 0 || ::fsync(descriptor.get()) != 0 || descriptor.close() != 0)
    return abandon(systemError(path, "writing to the disk", errno));
  if (::rename(temporary.c_str(), path.c_str()) != 0) return abandon(systemError(path, "renaming", errno));
  syncFolder(path.has_parent_path() ? path.parent_path() : ".");
  return {};
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view contents) {
  return writeFileAtomically(path, [&](const FileSink& sink) -> Status {
    sink(std::as_bytes(std::span(contents)));
    return {};
  });
}

}  // namespace orthros
