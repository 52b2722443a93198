// GGUF model files (versions 2 and 3), read through a memory mapping. Every count, offset and length is
// checked before it is used; an error names the field and the byte offset. Format: the GGUF specification in
// the ggml repository.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/file.hpp"
#include "engine/base/result.hpp"
#include "engine/gguf/block_format.hpp"
#include "engine/gguf/value.hpp"

namespace orthros::gguf {

struct Tensor {
  std::string name;
  Format format = Format::f32;
  std::vector<uint64_t>
      shape;  // GGUF order: shape[0] is the fastest dimension (a matrix's inputs), shape[1] its rows
  uint64_t elements = 0;
  std::span<const std::byte> data;  // inside the mapping
};

// Move-only. Tensors, keys and views stay valid when a File is moved.
class File {
 public:
  static Result<File> open(const std::filesystem::path& path);
  // Parses a file image; `bytes` must outlive the File. `name` stands for the path in errors.
  static Result<File> parse(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }
  uint32_t version() const { return version_; }
  uint64_t alignment() const { return alignment_; }
  uint64_t bytes() const { return image_.size(); }

  // Metadata. `find` gives null where the key is missing; `get` wants exactly that type (integers convert
  // where the value fits, f32 and f64 into each other) and its error names the key, the type found and the
  // type wanted. T: a scalar of Value, std::string, or a vector of either, which is a copy; `array` gives a
  // view instead and wants the exact element type.
  const Value* find(std::string_view key) const;
  template <class T>
  Result<T> get(std::string_view key) const;
  template <class T>
  Result<T> getOr(std::string_view key,
                  T fallback) const;  // fallback where missing; an error where the type is wrong
  template <class T>
  Result<const std::vector<T>*> array(std::string_view key) const;
  const std::vector<std::pair<std::string, Value>>& metadata() const { return metadata_; }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Tensor* findTensor(std::string_view name) const;
  Result<const Tensor*> tensor(std::string_view name) const;

 private:
  friend class FileParser;

  std::string name_;
  uint32_t version_ = 3;
  uint64_t alignment_ = 32;
  std::optional<MappedFile> mapping_;  // absent where the bytes belong to the caller
  std::span<const std::byte> image_;
  std::vector<std::pair<std::string, Value>> metadata_;
  std::vector<Tensor> tensors_;
  // Positions by name; the views point into metadata_ and tensors_, whose elements never move again.
  std::unordered_map<std::string_view, size_t> keyIndex_;
  std::unordered_map<std::string_view, size_t> tensorIndex_;
};

}  // namespace orthros::gguf
