#include "engine/gguf/file_parser.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "engine/base/checked.hpp"
#include "engine/gguf/utf8.hpp"

namespace orthros::gguf {
namespace {

// Limits of the specification.
constexpr uint64_t longestKey = 65535;
constexpr uint64_t longestTensorName = 64;
constexpr uint32_t mostDimensions = 4;

// Fewest bytes that an entry can take: a count above remaining / smallest is a lie.
constexpr uint64_t smallestKeyEntry = 8 + 1 + 4 + 1;  // length, name, type, value
constexpr uint64_t smallestTensorEntry =
    8 + 1 + 4 + 8 + 4 + 8;  // length, name, dimensions, one extent, format, offset

// Room made before entries are read. One takes more memory than its fewest bytes in the file.
size_t reservedCount(uint64_t count) {
  return static_cast<size_t>(std::min<uint64_t>(count, 65536));
}

constexpr const char* damagedHint = "The file is damaged or incomplete; fetch it again";

}  // namespace

FileParser::FileParser(std::span<const std::byte> bytes, std::string name)
    : name_(std::move(name)), reader_(bytes) {
  file_.name_ = name_;
  file_.image_ = bytes;
}

Result<File> FileParser::parse() {
  ORTHROS_TRY(readMagicAndVersion());
  ORTHROS_TRY(readCounts());
  ORTHROS_TRY(readMetadata());
  ORTHROS_TRY(readAlignment());
  ORTHROS_TRY(readTensorInfos());
  ORTHROS_TRY(placeTensors());
  return std::move(file_);
}

FileParser::Failure FileParser::malformed(const std::string& field, uint64_t offset,
                                          const std::string& happened) const {
  return fail(ErrorCode::malformed, name_ + ": " + field,
              happened + " (at byte " + std::to_string(offset) + ")", damagedHint);
}

FileParser::Failure FileParser::unsupported(const std::string& field, const std::string& happened,
                                            const std::string& nextStep) const {
  return fail(ErrorCode::unsupported, name_ + ": " + field, happened, nextStep);
}

FileParser::Failure FileParser::truncated(const std::string& field, const char* part) const {
  return malformed(field, reader_.offset(), std::string("the file ends inside ") + part);
}

Status FileParser::readMagicAndVersion() {
  constexpr uint32_t magic = 0x46554747;  // "GGUF"
  const auto found = reader_.number<uint32_t>();
  if (!found) return truncated("magic", "the magic number");
  if (*found == 0x67676d6c || *found == 0x67676a74 || *found == 0x67676d66 || *found == 0x67676c61)
    return unsupported("magic", "is a model file of the formats before GGUF", "Convert the model to GGUF");
  if (*found != magic)
    return fail(ErrorCode::malformed, name_ + ": magic", "the file does not begin with GGUF",
                "Choose a GGUF model file");
  const auto version = reader_.number<uint32_t>();
  if (!version) return truncated("version", "the version");
  file_.version_ = *version;
  if (*version == 2 || *version == 3) return {};
  if (*version == 1)
    return unsupported("version", "is GGUF version 1", "Convert the model to GGUF version 3");
  if (*version != 0 && (*version & 0xffff) == 0)
    return unsupported("version", "is a big-endian GGUF file", "Convert the model to little-endian GGUF");
  return unsupported("version",
                     "is GGUF version " + std::to_string(*version) + "; this program reads 2 and 3",
                     "Use a newer program or convert the model again");
}

Status FileParser::readCounts() {
  ORTHROS_ASSIGN(tensorCount_, readCount("tensor_count", smallestTensorEntry));
  ORTHROS_ASSIGN(keyCount_, readCount("metadata_kv_count", smallestKeyEntry));
  return {};
}

Result<uint64_t> FileParser::readCount(const char* field, uint64_t smallestEntryBytes) {
  const uint64_t at = reader_.offset();
  const auto count = reader_.number<uint64_t>();
  if (!count) return truncated(field, "the count");
  if (*count > reader_.remaining() / smallestEntryBytes)
    return malformed(field, at, "says " + std::to_string(*count) + ", more than the file has room for");
  return *count;
}

Status FileParser::readMetadata() {
  file_.metadata_.reserve(reservedCount(keyCount_));
  for (uint64_t i = 0; i < keyCount_; ++i) {
    const uint64_t at = reader_.offset();
    ORTHROS_ASSIGN(std::string key, readString("key " + std::to_string(i), "the key's name", longestKey));
    const std::string field = "key " + key;
    if (key.empty()) return malformed("key " + std::to_string(i), at, "has an empty name");
    const auto type = reader_.number<uint32_t>();
    if (!type) return truncated(field, "the value's type");
    ORTHROS_ASSIGN(Value value, readValue(field, *type));
    file_.metadata_.emplace_back(std::move(key), std::move(value));
    if (!file_.keyIndex_.emplace(file_.metadata_.back().first, static_cast<size_t>(i)).second)
      return malformed(field, at, "appears twice");
  }
  return {};
}

// The two templates stand before their uses in generic lambdas: clang 14 instantiates them only then.
template <class T>
Result<T> FileParser::readScalar(const std::string& field) {
  if constexpr (std::is_same_v<T, std::string>) {
    return readString(field, "a string", UINT64_MAX);
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto byte = reader_.number<uint8_t>();
    if (!byte) return truncated(field, "a boolean");
    if (*byte > 1) return malformed(field, reader_.offset() - 1, "is a boolean that is neither 0 nor 1");
    return *byte == 1;
  } else {
    const auto number = reader_.number<T>();
    if (!number) return truncated(field, "a number");
    return *number;
  }
}

template <class T>
Result<Value> FileParser::readElements(const std::string& field, uint64_t count) {
  std::vector<T> elements;
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, bool>) {
    elements.reserve(reservedCount(count));
    for (uint64_t i = 0; i < count; ++i) {
      auto element = readScalar<T>(field);
      if (!element) return fail(std::move(element).error());
      elements.push_back(std::move(*element));
    }
  } else {
    elements.resize(static_cast<size_t>(count));
    const auto bytes = reader_.take(count * sizeof(T));
    if (!bytes) return truncated(field, "an array");
    if (count > 0) std::memcpy(elements.data(), bytes->data(), bytes->size());
  }
  return Value(Array(std::move(elements)));
}

Result<Value> FileParser::readValue(const std::string& field, uint32_t type) {
  if (type == static_cast<uint32_t>(ValueType::array)) return readArray(field);
  return visitScalarType(
      type,
      [&]<class T>(std::type_identity<T>) -> Result<Value> {
        ORTHROS_ASSIGN(T value, readScalar<T>(field));
        return Value(std::in_place_type<T>, std::move(value));
      },
      [&]() -> Result<Value> {
        return malformed(field, reader_.offset(), "has the unknown value type " + std::to_string(type));
      });
}

Result<Value> FileParser::readArray(const std::string& field) {
  const auto type = reader_.number<uint32_t>();
  if (!type) return truncated(field, "the array's element type");
  const uint64_t at = reader_.offset();
  const auto count = reader_.number<uint64_t>();
  if (!count) return truncated(field, "the array's length");
  if (*type == static_cast<uint32_t>(ValueType::array))
    return unsupported(field, "is an array of arrays", "Convert the model without this key");
  return visitScalarType(
      *type,
      [&]<class T>(std::type_identity<T>) -> Result<Value> {
        constexpr uint64_t smallest = std::is_same_v<T, std::string> ? 8 : sizeof(T);
        if (*count > reader_.remaining() / smallest)
          return malformed(field, at,
                           "says " + std::to_string(*count) + " elements, more than the file has room for");
        return readElements<T>(field, *count);
      },
      [&]() -> Result<Value> {
        return malformed(field, at, "has the unknown element type " + std::to_string(*type));
      });
}

Result<std::string> FileParser::readString(const std::string& field, const char* part, uint64_t limitBytes) {
  const uint64_t at = reader_.offset();
  const auto length = reader_.number<uint64_t>();
  if (!length) return truncated(field, part);
  if (*length > reader_.remaining())
    return malformed(
        field, at, std::string("the file ends inside ") + part + " of " + std::to_string(*length) + " bytes");
  if (*length > limitBytes)
    return malformed(field, at,
                     std::string(part) + " has " + std::to_string(*length) + " bytes, above the limit of " +
                         std::to_string(limitBytes));
  const auto bytes = *reader_.take(*length);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto bad = firstInvalidUtf8(text))
    return malformed(field, at + 8 + *bad, std::string(part) + " is not valid UTF-8");
  return std::string(text);
}

Status FileParser::readAlignment() {
  ORTHROS_ASSIGN(const uint32_t alignment, file_.getOr<uint32_t>("general.alignment", 32));
  if (!std::has_single_bit(alignment))
    return malformed("key general.alignment", reader_.offset(),
                     "is " + std::to_string(alignment) + ", which is not a power of two");
  file_.alignment_ = alignment;
  return {};
}

Status FileParser::readTensorInfos() {
  file_.tensors_.reserve(reservedCount(tensorCount_));
  tensorOffsets_.reserve(reservedCount(tensorCount_));
  for (uint64_t i = 0; i < tensorCount_; ++i) ORTHROS_TRY(readTensorInfo(i));
  return {};
}

Status FileParser::readTensorInfo(uint64_t index) {
  const uint64_t at = reader_.offset();
  const std::string numbered = "tensor " + std::to_string(index);
  Tensor tensor;
  ORTHROS_ASSIGN(tensor.name, readString(numbered, "the tensor's name", longestTensorName));
  if (tensor.name.empty()) return malformed(numbered, at, "has an empty name");
  const std::string field = "tensor " + tensor.name;
  ORTHROS_TRY(readShape(tensor, field));
  ORTHROS_TRY(readFormat(tensor, field));
  const auto offset = reader_.number<uint64_t>();
  if (!offset) return truncated(field, "the offset");
  if (*offset % file_.alignment_ != 0)
    return malformed(field, reader_.offset() - 8,
                     "the offset " + std::to_string(*offset) + " is not a multiple of the alignment " +
                         std::to_string(file_.alignment_));
  tensorOffsets_.push_back(*offset);
  file_.tensors_.push_back(std::move(tensor));
  if (!file_.tensorIndex_.emplace(file_.tensors_.back().name, static_cast<size_t>(index)).second)
    return malformed(field, at, "appears twice");
  return {};
}

Status FileParser::readShape(Tensor& tensor, const std::string& field) {
  const uint64_t at = reader_.offset();
  const auto dimensions = reader_.number<uint32_t>();
  if (!dimensions) return truncated(field, "the number of dimensions");
  if (*dimensions == 0 || *dimensions > mostDimensions)
    return malformed(field, at, "has " + std::to_string(*dimensions) + " dimensions, not 1 to 4");
  tensor.elements = 1;
  for (uint32_t i = 0; i < *dimensions; ++i) {
    const auto extent = reader_.number<uint64_t>();
    if (!extent) return truncated(field, "the shape");
    if (*extent == 0)
      return malformed(field, reader_.offset() - 8, "dimension " + std::to_string(i) + " is zero");
    const auto elements = checkedMultiply(tensor.elements, *extent);
    if (!elements)
      return malformed(field, reader_.offset() - 8, "the number of elements does not fit 64 bits");
    tensor.elements = *elements;
    tensor.shape.push_back(*extent);
  }
  return {};
}

Status FileParser::readFormat(Tensor& tensor, const std::string& field) {
  const uint64_t at = reader_.offset();
  const auto number = reader_.number<uint32_t>();
  if (!number) return truncated(field, "the format");
  tensor.format = static_cast<Format>(*number);
  const FormatTraits* traits = traitsOf(tensor.format);
  if (!traits) {
    const char* known = foreignFormatName(*number);
    if (!known) return malformed(field, at, "has the unknown format " + std::to_string(*number));
    return unsupported(field, std::string("is stored as ") + known + ", which this program cannot read",
                       "Choose a file in one of " + formatNames());
  }
  if (tensor.shape[0] % traits->blockElements != 0)
    return malformed(field, at,
                     "rows of " + std::to_string(tensor.shape[0]) + " elements are not a whole number of " +
                         traits->name + " blocks of " + std::to_string(traits->blockElements));
  return {};
}

Status FileParser::placeTensors() {
  if (file_.tensors_.empty()) return {};
  const auto dataBegin = checkedAlign(reader_.offset(), file_.alignment_);
  if (!dataBegin || *dataBegin > file_.image_.size())
    return malformed("tensor " + file_.tensors_.front().name, reader_.offset(),
                     "the file ends before the tensors' data");
  for (size_t i = 0; i < file_.tensors_.size(); ++i) {
    ORTHROS_ASSIGN(const uint64_t bytes, placeTensor(i, *dataBegin));
    file_.tensors_[i].data =
        file_.image_.subspan(static_cast<size_t>(*dataBegin + tensorOffsets_[i]), static_cast<size_t>(bytes));
  }
  return checkOverlaps();
}

// Size in bytes of the tensor's data, once all of it is known to lie inside the file.
Result<uint64_t> FileParser::placeTensor(size_t index, uint64_t dataBegin) {
  const Tensor& tensor = file_.tensors_[index];
  const FormatTraits& traits = *traitsOf(tensor.format);
  const auto bytes = checkedMultiply(tensor.elements / traits.blockElements, traits.blockBytes);
  const uint64_t room = file_.image_.size() - dataBegin;
  const uint64_t offset = tensorOffsets_[index];
  if (!bytes || offset > room || *bytes > room - offset)
    return malformed("tensor " + tensor.name, dataBegin + std::min(offset, room),
                     "its data of " + (bytes ? std::to_string(*bytes) : "more than 2^64") +
                         " bytes at offset " + std::to_string(offset) + " reaches past the end of the file");
  return *bytes;
}

Status FileParser::checkOverlaps() const {
  std::vector<size_t> order(file_.tensors_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return tensorOffsets_[a] < tensorOffsets_[b]; });
  for (size_t i = 1; i < order.size(); ++i) {
    const Tensor& before = file_.tensors_[order[i - 1]];
    const Tensor& after = file_.tensors_[order[i]];
    if (before.data.data() + before.data.size() > after.data.data())
      return malformed("tensor " + after.name, static_cast<uint64_t>(after.data.data() - file_.image_.data()),
                       "its data overlaps that of tensor " + before.name);
  }
  return {};
}

}  // namespace orthros::gguf
