// Small model files with any key or tensor changed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/gguf/file.hpp"
#include "engine/gguf/writer.hpp"
#include "engine/model/synth.hpp"

namespace orthros::model::test {

// A copy of a GGUF file under construction: keys and tensors may be set, removed or added before it is
// written again.
class EditableFile {
 public:
  explicit EditableFile(std::vector<std::byte> image) : image_(std::move(image)) {
    auto file = gguf::File::parse(image_, "base.gguf");
    EXPECT_TRUE(file) << file.error().message();
    if (!file) return;
    keys_ = file->metadata();
    for (const gguf::Tensor& tensor : file->tensors())
      tensors_.push_back(
          {tensor.name, tensor.format, tensor.shape, {tensor.data.begin(), tensor.data.end()}});
  }
  static EditableFile model(const SynthOptions& options = {}) { return EditableFile(*synthBytes(options)); }

  EditableFile& set(const std::string& key, gguf::Value value) {
    removeKey(key);
    keys_.emplace_back(key, std::move(value));
    return *this;
  }
  EditableFile& removeKey(const std::string& key) {
    std::erase_if(keys_, [&](const auto& entry) { return entry.first == key; });
    return *this;
  }
  EditableFile& removeTensor(const std::string& name) {
    std::erase_if(tensors_, [&](const auto& tensor) { return tensor.name == name; });
    return *this;
  }
  EditableFile& setTensor(const std::string& name, std::vector<uint64_t> shape,
                          const std::vector<float>& values) {
    removeTensor(name);
    tensors_.push_back(
        {name, gguf::Format::f32, std::move(shape), gguf::quantize(gguf::Format::f32, values)});
    return *this;
  }
  EditableFile& zeroTensor(const std::string& name, std::vector<uint64_t> shape) {
    size_t elements = 1;
    for (const uint64_t extent : shape) elements *= static_cast<size_t>(extent);
    return setTensor(name, std::move(shape), std::vector<float>(elements, 0.f));
  }

  std::vector<std::byte> bytes() const {
    gguf::Writer writer;
    for (const auto& [key, value] : keys_) EXPECT_TRUE(writer.add(key, value)) << key;
    for (const auto& tensor : tensors_)
      EXPECT_TRUE(writer.addTensor(tensor.name, tensor.format, tensor.shape, tensor.data)) << tensor.name;
    return *writer.toBytes();
  }

 private:
  struct OwnedTensor {
    std::string name;
    gguf::Format format;
    std::vector<uint64_t> shape;
    std::vector<std::byte> data;
  };
  std::vector<std::byte> image_;
  std::vector<std::pair<std::string, gguf::Value>> keys_;
  std::vector<OwnedTensor> tensors_;
};

#define EXPECT_FAILS(result, expectedCode, part)                                                     \
  do {                                                                                               \
    const auto& outcome = (result);                                                                  \
    ASSERT_FALSE(outcome);                                                                           \
    EXPECT_EQ(outcome.error().code, expectedCode) << outcome.error().message();                      \
    EXPECT_NE(outcome.error().message().find(part), std::string::npos) << outcome.error().message(); \
  } while (false)

}  // namespace orthros::model::test
