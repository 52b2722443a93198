// Plan keys of model files. The bytes choose keys, types and values directly, so that the fuzzer reaches
// every rule without having to invent a file around them; the container has its own target.
#include <algorithm>
#include <cstring>
#include <string>

#include "engine/phase/plan_fields.hpp"
#include "tests/fuzz/plan_checks.hpp"

namespace {

using namespace orthros;

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }

  // Zeros once the bytes are used up.
  template <class T>
  T take() {
    T value{};
    const size_t bytes = std::min(sizeof(T), left_);
    std::memcpy(&value, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
    return value;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

std::string takeKey(Bytes& bytes) {
  const auto table = phase::planFieldTable();
  const size_t choice = bytes.take<uint8_t>() % (table.size() + 3);
  if (choice < table.size()) return std::string("orthros.") + table[choice].name;
  if (choice == table.size()) return "orthros.rope.factors";
  if (choice == table.size() + 1) return std::string("orthros.") + static_cast<char>(bytes.take<uint8_t>());
  return "general.name";
}

template <class T>
gguf::Value takeArray(Bytes& bytes) {
  std::vector<T> values(bytes.take<uint8_t>() % 7);
  for (T& value : values) value = bytes.take<T>();
  return gguf::Array(std::move(values));
}

// Small numbers more often than a random word would give them.
uint32_t takeCount(Bytes& bytes) {
  const uint8_t small = bytes.take<uint8_t>();
  return small < 200 ? small : bytes.take<uint32_t>();
}

gguf::Value takeValue(Bytes& bytes) {
  switch (bytes.take<uint8_t>() % 16) {
    case 0:
      return bytes.take<uint8_t>();
    case 1:
      return bytes.take<int8_t>();
    case 2:
      return bytes.take<int32_t>();
    case 3:
      return bytes.take<uint64_t>();
    case 4:
      return bytes.take<int64_t>();
    case 5:
      return bytes.take<float>();
    case 6:
      return bytes.take<uint8_t>() % 2 == 1;
    case 7:
      return std::string("1");
    case 8:
      return takeArray<uint8_t>(bytes);
    case 9:
      return takeArray<int16_t>(bytes);
    case 10:
      return takeArray<uint32_t>(bytes);
    case 11:
      return takeArray<float>(bytes);
    case 12:
      return gguf::Array(std::vector<bool>(4, true));
    case 13: {
      std::vector<uint32_t> values(phase::fuzzLayers);
      for (uint32_t& value : values) value = takeCount(bytes);
      return gguf::Array(std::move(values));
    }
    default:
      return takeCount(bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  phase::Metadata metadata = {{"orthros.version", uint32_t{1}}};
  while (!bytes.empty() && metadata.size() < 30) {
    std::string key = takeKey(bytes);
    metadata.emplace_back(std::move(key), takeValue(bytes));
  }
  const auto stored = phase::readPlan(metadata, phase::fuzzLayers, phase::fuzzContext);
  if (stored) {
    phase::checkAcceptedPlan(stored->plan);
  } else {
    phase::require(stored.error().subject.rfind("orthros.", 0) == 0 && !stored.error().happened.empty());
  }
  return 0;
}
