// Writes GGUF version 3 files. Tensor data may come in pieces, so a file of many gigabytes is never in
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/base/file.hpp"
#include "engine/base/result.hpp"
#include "engine/gguf/block_format.hpp"
#include "engine/gguf/value.hpp"

namespace orthros::gguf {

class Writer {
 public:
  // Hands a tensor's data to the sink, in any number of pieces. Called once per write.
  using DataSource = std::function<Status(const FileSink&)>;

  // Keys are written in the order in which they come. A key that is empty, too long, not UTF-8 or already
  // there is an error, as is a string value that is not UTF-8. The key general.alignment (u32, a power of
  // two) sets the alignment.
  Status add(std::string key, Value value);

  // `shape` in GGUF order; shape[0] a multiple of the format's block. The source must give exactly the
  // tensor's bytes.
  Status addTensor(std::string name, Format format, std::vector<uint64_t> shape, DataSource data);
  // The writer keeps the bytes.
  Status addTensor(std::string name, Format format, std::vector<uint64_t> shape, std::vector<std::byte> data);

  Status write(const std::filesystem::path& path) const;  // atomically
  Status write(const FileSink& sink) const;
  Result<std::vector<std::byte>> toBytes() const;

  uint64_t fileBytes() const;  // size of the file that write() makes

 private:
  struct PendingTensor {
    std::string name;
    Format format;
    std::vector<uint64_t> shape;
    uint64_t bytes;
    DataSource data;
  };

  std::vector<std::byte> header() const;  // padded to the alignment
  uint64_t paddedBytes(const PendingTensor& tensor) const;
  Status writeTensor(const PendingTensor& tensor, const FileSink& sink) const;

  uint64_t alignment_ = 32;
  std::vector<std::pair<std::string, Value>> metadata_;
  std::vector<PendingTensor> tensors_;
  std::unordered_set<std::string> keys_;
  std::unordered_set<std::string> tensorNames_;
};

}  // namespace orthros::gguf
