// Reads the header of a GGUF image into a File. Checks every count, length and offset before it is used;
// nothing is allocated for a count that the remaining bytes cannot hold.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/gguf/byte_reader.hpp"
#include "engine/gguf/file.hpp"

namespace orthros::gguf {

class FileParser {
 public:
  FileParser(std::span<const std::byte> bytes, std::string name);
  Result<File> parse();

 private:
  using Failure = tl::unexpected<Error>;
  // Errors about `field` at byte `offset`.
  Failure malformed(const std::string& field, uint64_t offset, const std::string& happened) const;
  Failure unsupported(const std::string& field, const std::string& happened,
                      const std::string& nextStep) const;
  Failure truncated(const std::string& field, const char* part) const;

  Status readMagicAndVersion();
  Status readCounts();
  Result<uint64_t> readCount(const char* field, uint64_t smallestEntryBytes);

  Status readMetadata();
  Result<Value> readValue(const std::string& field, uint32_t type);
  Result<Value> readArray(const std::string& field);
  template <class T>
  Result<T> readScalar(const std::string& field);
  template <class T>
  Result<Value> readElements(const std::string& field, uint64_t count);
  Result<std::string> readString(const std::string& field, const char* part, uint64_t limitBytes);
  Status readAlignment();

  Status readTensorInfos();
  Status readTensorInfo(uint64_t index);
  Status readShape(Tensor& tensor, const std::string& field);
  Status readFormat(Tensor& tensor, const std::string& field);
  Status placeTensors();
  Result<uint64_t> placeTensor(size_t index, uint64_t dataBegin);
  Status checkOverlaps() const;

  std::string name_;
  ByteReader reader_;
  File file_;
  uint64_t tensorCount_ = 0;
  uint64_t keyCount_ = 0;
  std::vector<uint64_t> tensorOffsets_;  // from the start of the data, as the file has them
};

}  // namespace orthros::gguf
