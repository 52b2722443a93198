// Any bytes as an adapter: it is refused, or it can be checked against a base, applied and merged.
#include "engine/model/adapter.hpp"
#include "engine/model/synth.hpp"
#include "tests/fuzz/gguf_fuzz_support.hpp"

namespace orthros::model {
namespace {

const SynthOptions& baseOptions() {
  static const SynthOptions options{.layers = 1,
                                    .width = 32,
                                    .heads = 1,
                                    .kvHeads = 1,
                                    .headSize = 32,
                                    .feedForward = 32,
                                    .vocabulary = 4,
                                    .embeddingFormat = {},
                                    .tokenizer = false};
  return options;
}

const std::vector<std::byte>& baseImage() {
  static const std::vector<std::byte> image = *synthBytes(baseOptions());
  return image;
}

const std::vector<std::vector<std::byte>>& seeds() {
  static const std::vector<std::vector<std::byte>> all = {
      *synthAdapterBytes(baseOptions(), {.rank = 1, .embedding = true, .keys = {}}),
      *synthAdapterBytes(baseOptions(),
                         {.rank = 2,
                          .keys = {{"orthros.rope.factors", gguf::Array(std::vector<float>(16, 2.f))},
                                   {"llama.rope.freq_base", 5e4f},
                                   {"llama.context_length", uint32_t{9}},
                                   {"orthros.train.base", std::string("x")}}})};
  return all;
}

void use(const Adapter& adapter) {
  static const gguf::File base = *gguf::File::parse(baseImage(), "base.gguf");
  static const ModelSpec baseSpec = *readSpec(base);
  static_cast<void>(adapter.trainInfo());
  ModelSpec spec = baseSpec;
  if (adapter.applyTo(spec)) static_cast<void>(spec.rope.frequencies());
  const bool fits = adapter.checkBase(base).has_value();
  for (const gguf::Tensor& tensor : base.tensors()) {
    std::vector<float> values(tensor.elements);
    if (tensor.shape.size() == 2) adapter.mergeRows(tensor.name, 0, tensor.shape[1], values);
    if (fits && tensor.shape.size() == 1 && adapter.changes(tensor.name)) __builtin_trap();
  }
}

}  // namespace
}  // namespace orthros::model

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned random) {
  return orthros::fuzz::mutateFromSeeds(orthros::model::seeds(), data, size, maxSize, random);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace orthros;
  auto file = gguf::File::parse(std::as_bytes(std::span(data, size)), "fuzz.gguf");
  if (!file) return 0;
  const auto adapter = model::Adapter::read(std::move(*file));
  if (adapter) model::use(*adapter);
  return 0;
}
