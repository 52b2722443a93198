#include "engine/gguf/writer.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "engine/base/checked.hpp"
#include "engine/gguf/utf8.hpp"

namespace orthros::gguf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "GGUF numbers are little-endian and written as they stand");

class ByteBuffer {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void put(Number number) {
    const auto at = bytes_.size();
    bytes_.resize(at + sizeof number);
    std::memcpy(bytes_.data() + at, &number, sizeof number);
  }
  void put(bool flag) { put(static_cast<uint8_t>(flag)); }
  void put(std::string_view text) {
    put(static_cast<uint64_t>(text.size()));
    const auto raw = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const Array& array) {
    put(elementTypeNumber(array));
    put(static_cast<uint64_t>(arraySize(array)));
    std::visit(
        [&]<class Element>(const std::vector<Element>& elements) {
          for (const Element& element : elements) put(element);
        },
        array);
  }
  void padTo(uint64_t alignment) {
    bytes_.resize(static_cast<size_t>(roundUp<uint64_t>(bytes_.size(), alignment)));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

tl::unexpected<Error> invalid(std::string subject, std::string happened) {
  return fail(ErrorCode::invalidArgument, std::move(subject), std::move(happened));
}

Status checkName(const std::string& kind, const std::string& name, size_t longest) {
  if (name.empty()) return invalid(kind, "has an empty name");
  if (name.size() > longest)
    return invalid(kind + " " + name, "has a name of more than " + std::to_string(longest) + " bytes");
  if (firstInvalidUtf8(name)) return invalid(kind + " " + name, "has a name that is not valid UTF-8");
  return {};
}

bool stringsAreUtf8(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return !firstInvalidUtf8(*text);
  const auto* array = std::get_if<Array>(&value);
  const auto* texts = array ? std::get_if<std::vector<std::string>>(array) : nullptr;
  if (!texts) return true;
  for (const std::string& text : *texts) {
    if (firstInvalidUtf8(text)) return false;
  }
  return true;
}

Result<uint64_t> tensorBytes(const std::string& subject, Format format, const std::vector<uint64_t>& shape) {
  const FormatTraits* traits = traitsOf(format);
  if (!traits) return invalid(subject, "has an unknown format");
  if (shape.empty() || shape.size() > 4) return invalid(subject, "needs 1 to 4 dimensions");
  if (shape[0] % traits->blockElements != 0)
    return invalid(subject, "needs rows of whole blocks of " + std::to_string(traits->blockElements));
  uint64_t elements = 1;
  for (const uint64_t extent : shape) {
    const auto product = checkedMultiply(elements, extent);
    if (!product || *product == 0) return invalid(subject, "has a dimension of zero or too many elements");
    elements = *product;
  }
  const auto bytes = checkedMultiply(elements / traits->blockElements, traits->blockBytes);
  if (!bytes) return invalid(subject, "has too many elements");
  return *bytes;
}

tl::unexpected<Error> sinkRefused() {
  return fail(ErrorCode::io, "GGUF file", "could not be written", "Free some disk space and try again");
}

}  // namespace

Status Writer::add(std::string key, Value value) {
  ORTHROS_TRY(checkName("key", key, 65535));
  if (!stringsAreUtf8(value)) return invalid("key " + key, "holds text that is not valid UTF-8");
  if (key == "general.alignment") {
    const auto* alignment = std::get_if<uint32_t>(&value);
    if (!alignment || !std::has_single_bit(*alignment))
      return invalid("key " + key, "must be a u32 power of two");
    alignment_ = *alignment;
  }
  if (!keys_.insert(key).second) return invalid("key " + key, "was added before");
  metadata_.emplace_back(std::move(key), std::move(value));
  return {};
}

Status Writer::addTensor(std::string name, Format format, std::vector<uint64_t> shape, DataSource data) {
  ORTHROS_TRY(checkName("tensor", name, 64));
  ORTHROS_ASSIGN(const uint64_t bytes, tensorBytes("tensor " + name, format, shape));
  if (!tensorNames_.insert(name).second) return invalid("tensor " + name, "was added before");
  tensors_.push_back({std::move(name), format, std::move(shape), bytes, std::move(data)});
  return {};
}

Status Writer::addTensor(std::string name, Format format, std::vector<uint64_t> shape,
                         std::vector<std::byte> data) {
  return addTensor(std::move(name), format, std::move(shape),
                   [data = std::move(data)](const FileSink& sink) -> Status {
                     if (!sink(data)) return sinkRefused();
                     return {};
                   });
}

std::vector<std::byte> Writer::header() const {
  ByteBuffer buffer;
  buffer.put(uint32_t{0x46554747});  // "GGUF"
  buffer.put(uint32_t{3});
  buffer.put(static_cast<uint64_t>(tensors_.size()));
  buffer.put(static_cast<uint64_t>(metadata_.size()));
  for (const auto& [key, value] : metadata_) {
    buffer.put(key);
    buffer.put(static_cast<uint32_t>(value.index()));
    std::visit([&](const auto& held) { buffer.put(held); }, value);
  }
  uint64_t offset = 0;
  for (const PendingTensor& tensor : tensors_) {
    buffer.put(tensor.name);
    buffer.put(static_cast<uint32_t>(tensor.shape.size()));
    for (const uint64_t extent : tensor.shape) buffer.put(extent);
    buffer.put(static_cast<uint32_t>(tensor.format));
    buffer.put(offset);
    offset += paddedBytes(tensor);
  }
  buffer.padTo(alignment_);
  return buffer.take();
}

uint64_t Writer::paddedBytes(const PendingTensor& tensor) const {
  return roundUp(tensor.bytes, alignment_);
}

uint64_t Writer::fileBytes() const {
  uint64_t bytes = header().size();
  for (const PendingTensor& tensor : tensors_) bytes += paddedBytes(tensor);
  return bytes;
}

Status Writer::writeTensor(const PendingTensor& tensor, const FileSink& sink) const {
  uint64_t offered = 0;
  bool refused = false;
  const Status status = tensor.data([&](std::span<const std::byte> piece) {
    offered += piece.size();
    if (offered > tensor.bytes) return false;
    refused = refused || !sink(piece);
    return !refused;
  });
  if (offered <= tensor.bytes && !status) return fail(status.error());
  if (offered != tensor.bytes && !refused)
    return fail(
        ErrorCode::internal, "tensor " + tensor.name,
        "its source gave " + std::to_string(offered) + " bytes instead of " + std::to_string(tensor.bytes));
  const std::vector<std::byte> padding(static_cast<size_t>(paddedBytes(tensor) - tensor.bytes));
  if (refused || (!padding.empty() && !sink(padding))) return sinkRefused();
  return {};
}

Status Writer::write(const FileSink& sink) const {
  if (!sink(header())) return sinkRefused();
  for (const PendingTensor& tensor : tensors_) ORTHROS_TRY(writeTensor(tensor, sink));
  return {};
}

Status Writer::write(const std::filesystem::path& path) const {
  return writeFileAtomically(path, [this](const FileSink& sink) { return write(sink); });
}

Result<std::vector<std::byte>> Writer::toBytes() const {
  std::vector<std::byte> bytes;
  ORTHROS_TRY(write([&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  }));
  return bytes;
}

}  // namespace orthros::gguf
