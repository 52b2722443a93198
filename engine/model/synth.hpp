// Generated models: GGUF files of architecture llama with random weights, of any shape, size and format, for
// tests and for measurements. The same options give the same bytes on every machine: all arithmetic is on
// integers, or single IEEE operations, and no distribution of the standard library is used.
//
// Weights have the deviation 1 / sqrt(inputs), those that write into the residual stream 1 / sqrt(2 layers
// inputs), so that activations keep their size over any number of layers and logits spread by about 2.
//
// Above 200 million parameters generation repeats a pool of blocks: a tensor then consists of the same about
// 4 million random values over and over, each tensor beginning elsewhere in the pool. Such a model is as good
// for measurements, and of no use for comparing results between rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.hpp"
#include "engine/base/result.hpp"
#include "engine/gguf/block_format.hpp"
#include "engine/gguf/value.hpp"

namespace orthros::model {

struct SynthOptions {
  uint32_t layers = 2;
  uint32_t width = 128;
  uint32_t heads = 4;
  uint32_t kvHeads = 2;
  uint32_t headSize = 32;
  uint32_t feedForward = 256;
  uint32_t vocabulary = 320;
  uint32_t context = 4096;  // tokens
  // Of the matrices. A matrix whose rows are not whole blocks takes a format of smaller blocks, as llama.cpp
  // does: Q4_K gives Q5_0, Q5_K gives Q5_1, Q6_K gives Q8_0, and those of 32 give F16.
  gguf::Format format = gguf::Format::q4_1;
  // Of token_embd and output; Q8_0 for the 4- and 5-bit formats, else `format`, where not given.
  std::optional<gguf::Format> embeddingFormat;
  float ropeBase = 10000.f;
  float ropeScaling = 1.f;  // positions are divided by this (rope.scaling.factor); 1 leaves the key out
  bool tied = true;         // the output matrix is token_embd
  bool ropeFreqs = false;   // a rope_freqs.weight: 1 for the first half of the pairs, then rising to 8
  bool qkvBias = false;
  // Keys of a gpt2 tokenizer: tokens 0 to 255 are the bytes, then <|endoftext|>, <|im_start|>, <|im_end|>,
  // then `merges` merged pairs, then unused tokens. Needs a vocabulary of at least 259 + merges.
  bool tokenizer = true;
  uint32_t merges = 0;  // at most mostSynthMerges
  uint64_t seed = 1;
};

inline constexpr uint32_t mostSynthMerges = 24;

// The named shapes: "tiny", "135m" (SmolLM2-135M), "1b" (Llama-3.2-1B), "8b" (Llama-3.1-8B).
Result<SynthOptions> synthShape(std::string_view name);
std::vector<std::string> synthShapeNames();

uint64_t parameterCount(const SynthOptions& options);

// Errors name the option. The file is written in pieces: memory stays below 100 MB for any size.
Status writeSynth(const SynthOptions& options, const std::filesystem::path& path);
Result<std::vector<std::byte>> synthBytes(const SynthOptions& options);

// A LoRA adapter with random factors on all linear layers of the model that `base` describes.
struct SynthAdapterOptions {
  uint32_t rank = 4;
  float alpha = 8.f;
  float strength = 0.25f;  // deviation of the change relative to that of the weights
  bool embedding = false;  // token_embd too
  uint64_t seed = 2;
  std::vector<std::pair<std::string, gguf::Value>> keys;  // added as they are: plan and RoPE keys
};
Status writeSynthAdapter(const SynthOptions& base, const SynthAdapterOptions& options,
                         const std::filesystem::path& path);
Result<std::vector<std::byte>> synthAdapterBytes(const SynthOptions& base,
                                                 const SynthAdapterOptions& options);

}  // namespace orthros::model
