// Any bytes: the container either refuses them or gives tensors that lie inside them and expand.
#include <algorithm>
#include <cmath>

#include "engine/gguf/file.hpp"
#include "engine/gguf/writer.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/synth.hpp"
#include "tests/fuzz/gguf_fuzz_support.hpp"

namespace orthros {
namespace {

using gguf::Format;

std::vector<std::byte> fileOfEveryValue() {
  gguf::Writer writer;
  const std::pair<const char*, gguf::Value> values[] = {
      {"general.alignment", uint32_t{8}},
      {"u8", uint8_t{1}},
      {"i16", int16_t{-1}},
      {"u64", uint64_t{1}},
      {"f64", 0.5},
      {"bool", true},
      {"string", std::string("caf\xc3\xa9")},
      {"strings", gguf::Array(std::vector<std::string>{"a", "", "\xe2\x82\xac"})},
      {"bools", gguf::Array(std::vector<bool>{true, false})},
      {"floats", gguf::Array(std::vector<float>{1, 2})}};
  for (const auto& [key, value] : values) static_cast<void>(writer.add(key, value));
  for (const Format format : {Format::f32, Format::q4_1, Format::q5_0, Format::q8_0, Format::q6_k}) {
    const gguf::FormatTraits& traits = *gguf::traitsOf(format);
    static_cast<void>(writer.addTensor(traits.name, format, {traits.blockElements, 2},
                                       std::vector<std::byte>(2 * traits.blockBytes, std::byte{0x35})));
  }
  return *writer.toBytes();
}

const std::vector<std::vector<std::byte>>& seeds() {
  static const std::vector<std::vector<std::byte>> all = {fileOfEveryValue(),
                                                          *model::synthBytes({.layers = 1,
                                                                              .width = 32,
                                                                              .heads = 1,
                                                                              .kvHeads = 1,
                                                                              .headSize = 32,
                                                                              .feedForward = 32,
                                                                              .vocabulary = 2,
                                                                              .embeddingFormat = {},
                                                                              .tokenizer = false}),
                                                          *model::synthBytes({.layers = 1,
                                                                              .width = 2,
                                                                              .heads = 1,
                                                                              .kvHeads = 1,
                                                                              .headSize = 2,
                                                                              .feedForward = 1,
                                                                              .vocabulary = 1,
                                                                              .format = Format::f16,
                                                                              .embeddingFormat = {},
                                                                              .ropeFreqs = true,
                                                                              .qkvBias = true,
                                                                              .tokenizer = false})};
  return all;
}

void touchTensor(const gguf::Tensor& tensor) {
  const gguf::FormatTraits& traits = *gguf::traitsOf(tensor.format);
  if (tensor.data.size() != gguf::formatBytes(tensor.format, tensor.elements)) __builtin_trap();
  std::vector<float> values(traits.blockElements);
  for (size_t at = 0; at < tensor.data.size(); at += traits.blockBytes)
    gguf::dequantize(tensor.format, tensor.data.subspan(at, traits.blockBytes), values);
}

void touchKeys(const gguf::File& file) {
  for (const auto& [key, value] : file.metadata()) {
    if (file.find(key) != &value) __builtin_trap();
    static_cast<void>(gguf::toText(value));
    static_cast<void>(file.get<uint32_t>(key));
    static_cast<void>(file.get<float>(key));
    static_cast<void>(file.get<std::string>(key));
    static_cast<void>(file.get<std::vector<int64_t>>(key));
    static_cast<void>(file.array<std::string>(key));
  }
}

}  // namespace
}  // namespace orthros

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned random) {
  return orthros::fuzz::mutateFromSeeds(orthros::seeds(), data, size, maxSize, random);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace orthros;
  const auto file = gguf::File::parse(std::as_bytes(std::span(data, size)), "fuzz.gguf");
  if (!file) {
    if (file.error().subject.empty() || file.error().happened.empty()) __builtin_trap();
    return 0;
  }
  touchKeys(*file);
  for (const gguf::Tensor& tensor : file->tensors()) touchTensor(tensor);
  const auto spec = model::readSpec(*file);
  if (spec && (spec->heads % spec->kvHeads != 0 || spec->rope.dimensions > spec->headSize)) __builtin_trap();
  if (spec) static_cast<void>(spec->rope.frequencies());
  return 0;
}
