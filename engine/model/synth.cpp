#include "engine/model/synth.hpp"

#include <algorithm>
#include <cmath>

#include "engine/gguf/writer.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/synth_tokenizer.hpp"
#include "engine/model/synth_values.hpp"

namespace orthros::model {
namespace {

using gguf::Format;

constexpr uint64_t poolThreshold = 200'000'000;  // parameters
constexpr uint32_t reservedTokens = 259;

struct NamedShape {
  const char* name;
  SynthOptions options;
};

const NamedShape namedShapes[] = {
    {"tiny", {}},
    {"135m",
     {.layers = 30,
      .width = 576,
      .heads = 9,
      .kvHeads = 3,
      .headSize = 64,
      .feedForward = 1536,
      .vocabulary = 49152,
      .context = 8192,
      .embeddingFormat = {},
      .ropeBase = 1e5f}},
    {"1b",
     {.layers = 16,
      .width = 2048,
      .heads = 32,
      .kvHeads = 8,
      .headSize = 64,
      .feedForward = 8192,
      .vocabulary = 128256,
      .context = 131072,
      .embeddingFormat = {},
      .ropeBase = 5e5f,
      .ropeFreqs = true}},
    {"8b",
     {.layers = 32,
      .width = 4096,
      .heads = 32,
      .kvHeads = 8,
      .headSize = 128,
      .feedForward = 14336,
      .vocabulary = 128256,
      .context = 131072,
      .embeddingFormat = {},
      .ropeBase = 5e5f,
      .tied = false,
      .ropeFreqs = true}},
};

tl::unexpected<Error> badOption(const char* option, std::string happened) {
  return fail(ErrorCode::invalidArgument, option, std::move(happened), "Change the generator's options");
}

Status check(const SynthOptions& options) {
  const struct {
    const char* name;
    uint32_t value, most;
  } counts[] = {{"layers", options.layers, 1000},
                {"width", options.width, 1u << 20},
                {"heads", options.heads, 1u << 12},
                {"kvHeads", options.kvHeads, 1u << 12},
                {"headSize", options.headSize, 1u << 12},
                {"feedForward", options.feedForward, 1u << 20},
                {"vocabulary", options.vocabulary, 1u << 22},
                {"context", options.context, 1u << 30}};
  for (const auto& count : counts) {
    if (count.value == 0 || count.value > count.most)
      return badOption(count.name, "is " + std::to_string(count.value) + ", not between 1 and " +
                                       std::to_string(count.most));
  }
  if (options.heads % options.kvHeads != 0) return badOption("kvHeads", "does not divide heads");
  if (options.headSize % 2 != 0) return badOption("headSize", "is odd");
  if (!gguf::traitsOf(options.format)) return badOption("format", "is unknown");
  if (options.embeddingFormat && !gguf::traitsOf(*options.embeddingFormat))
    return badOption("embeddingFormat", "is unknown");
  if (!std::isfinite(options.ropeBase) || options.ropeBase <= 1.f)
    return badOption("ropeBase", "must be above 1");
  if (options.merges > mostSynthMerges)
    return badOption("merges", "is above " + std::to_string(mostSynthMerges));
  if (options.tokenizer && options.vocabulary < reservedTokens + options.merges)
    return badOption("vocabulary", "must be at least 259 and the merges where there is a tokenizer");
  return {};
}

// The nearest format whose blocks divide rows of `inputs` values.
Format fitting(Format format, uint32_t inputs) {
  while (inputs % gguf::traitsOf(format)->blockElements != 0) {
    format = format == Format::q4_k   ? Format::q5_0
             : format == Format::q5_k ? Format::q5_1
             : format == Format::q6_k ? Format::q8_0
                                      : Format::f16;
  }
  return format;
}

Format embeddingFormat(const SynthOptions& options) {
  if (options.embeddingFormat) return *options.embeddingFormat;
  switch (options.format) {
    case Format::q4_0:
    case Format::q4_1:
    case Format::q5_0:
    case Format::q5_1:
    case Format::q4_k:
    case Format::q5_k:
      return Format::q8_0;
    default:
      return options.format;
  }
}

struct MatrixShape {
  const char* name;
  uint32_t inputs, outputs;
  bool intoResidual;
};

std::vector<MatrixShape> layerMatrices(const SynthOptions& o) {
  const uint32_t queries = o.heads * o.headSize, keys = o.kvHeads * o.headSize;
  return {{"attn_q", o.width, queries, false},
          {"attn_k", o.width, keys, false},
          {"attn_v", o.width, keys, false},
          {"attn_output", queries, o.width, true},
          {"ffn_gate", o.width, o.feedForward, false},
          {"ffn_up", o.width, o.feedForward, false},
          {"ffn_down", o.feedForward, o.width, true}};
}

class ModelBuilder {
 public:
  explicit ModelBuilder(const SynthOptions& options)
      : options_(options), pooled_(parameterCount(options) > poolThreshold) {}

  Result<gguf::Writer> build() {
    ORTHROS_TRY(check(options_));
    ORTHROS_TRY(addKeys());
    if (options_.tokenizer) ORTHROS_TRY(addTokenizer(options_, writer_));
    // Logits are sums of `width` products of a normalised value and an embedding: their spread is 2.
    ORTHROS_TRY(
        addMatrix("token_embd.weight", embeddingFormat(options_), options_.width, options_.vocabulary, 2.f));
    for (uint32_t layer = 0; layer < options_.layers; ++layer) ORTHROS_TRY(addLayer(layer));
    ORTHROS_TRY(addVector("output_norm.weight", options_.width, 1.f, 0.05f));
    if (!options_.tied)
      ORTHROS_TRY(
          addMatrix("output.weight", embeddingFormat(options_), options_.width, options_.vocabulary, 2.f));
    if (options_.ropeFreqs) ORTHROS_TRY(addRopeFactors());
    return std::move(writer_);
  }

 private:
  Status addKeys() {
    const std::pair<const char*, gguf::Value> keys[] = {
        {"general.architecture", std::string("llama")},
        {"general.type", std::string("model")},
        {"general.name", std::string("Generated, random weights")},
        {"llama.block_count", options_.layers},
        {"llama.context_length", options_.context},
        {"llama.embedding_length", options_.width},
        {"llama.feed_forward_length", options_.feedForward},
        {"llama.attention.head_count", options_.heads},
        {"llama.attention.head_count_kv", options_.kvHeads},
        {"llama.attention.key_length", options_.headSize},
        {"llama.attention.value_length", options_.headSize},
        {"llama.attention.layer_norm_rms_epsilon", 1e-5f},
        {"llama.rope.dimension_count", options_.headSize},
        {"llama.rope.freq_base", options_.ropeBase},
        {"llama.vocab_size", options_.vocabulary},
        {"general.quantization_version", uint32_t{2}},
    };
    for (const auto& [key, value] : keys) ORTHROS_TRY(writer_.add(key, value));
    if (options_.ropeScaling == 1.f) return {};
    ORTHROS_TRY(writer_.add("llama.rope.scaling.type", std::string("linear")));
    return writer_.add("llama.rope.scaling.factor", options_.ropeScaling);
  }

  Status addLayer(uint32_t layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    ORTHROS_TRY(addVector(layerTensor(layer, "attn_norm"), options_.width, 1.f, 0.05f));
    for (const MatrixShape& matrix : layerMatrices(options_)) {
      const float residual = 1.f / std::sqrt(2.f * static_cast<float>(options_.layers));
      ORTHROS_TRY(addMatrix(layerTensor(layer, matrix.name), options_.format, matrix.inputs, matrix.outputs,
                            matrix.intoResidual ? residual : 1.f));
    }
    if (options_.qkvBias) {
      ORTHROS_TRY(addVector(prefix + "attn_q.bias", options_.heads * options_.headSize, 0.f, 0.5f));
      ORTHROS_TRY(addVector(prefix + "attn_k.bias", options_.kvHeads * options_.headSize, 0.f, 0.5f));
      ORTHROS_TRY(addVector(prefix + "attn_v.bias", options_.kvHeads * options_.headSize, 0.f, 0.5f));
    }
    return addVector(layerTensor(layer, "ffn_norm"), options_.width, 1.f, 0.05f);
  }

  // Deviation `gain` / sqrt(inputs).
  Status addMatrix(std::string name, Format wanted, uint32_t inputs, uint32_t outputs, float gain) {
    const Format format = fitting(wanted, inputs);
    const RandomTensor tensor{format, uint64_t{inputs} * outputs, 0.f,
                              gain / std::sqrt(static_cast<float>(inputs)), streamOf(options_.seed, name)};
    return writer_.addTensor(std::move(name), format, {inputs, outputs},
                             [tensor, pool = pooled_ ? pool_ : nullptr](const FileSink& sink) {
                               return pool ? pool->write(tensor, sink) : writeRandom(tensor, sink);
                             });
  }

  Status addVector(std::string name, uint32_t size, float mean, float deviation) {
    std::vector<float> values(size);
    fillRandom(values, streamOf(options_.seed, name), 0, mean, deviation);
    return writer_.addTensor(std::move(name), Format::f32, {size}, gguf::quantize(Format::f32, values));
  }

  Status addRopeFactors() {
    const uint32_t pairs = options_.headSize / 2, kept = pairs / 2;
    std::vector<float> factors(pairs, 1.f);
    for (uint32_t i = kept; i < pairs; ++i)
      factors[i] = 1.f + 7.f * static_cast<float>(i - kept + 1) / static_cast<float>(pairs - kept);
    return writer_.addTensor("rope_freqs.weight", Format::f32, {pairs}, gguf::quantize(Format::f32, factors));
  }

  SynthOptions options_;
  bool pooled_;
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>();
  gguf::Writer writer_;
};

Status addFactors(const SynthAdapterOptions& options, const std::string& name, uint32_t inputs,
                  uint32_t outputs, gguf::Writer& writer) {
  // (alpha / rank) B A has the deviation alpha / sqrt(rank) * deviation(A) * deviation(B).
  const float rank = static_cast<float>(options.rank);
  const float target = options.strength / std::sqrt(static_cast<float>(inputs));
  const float each =
      std::sqrt(target * std::sqrt(rank) / std::abs(options.alpha == 0.f ? rank : options.alpha));
  const bool embedding =
      name == "token_embd.weight";  // see adapter_reader.cpp: its factors stand the other way round
  const auto add = [&](const char* suffix, uint32_t columns, uint32_t rows) {
    const RandomTensor tensor{Format::f16, uint64_t{columns} * rows, 0.f, each,
                              streamOf(options.seed, name + suffix)};
    return writer.addTensor(name + suffix, Format::f16, {columns, rows},
                            [tensor](const FileSink& sink) { return writeRandom(tensor, sink); });
  };
  ORTHROS_TRY(embedding ? add(".lora_a", options.rank, outputs) : add(".lora_a", inputs, options.rank));
  return add(".lora_b", options.rank, embedding ? inputs : outputs);
}

Result<gguf::Writer> buildAdapter(const SynthOptions& base, const SynthAdapterOptions& options) {
  ORTHROS_TRY(check(base));
  if (options.rank == 0 || options.rank > base.width)
    return badOption("rank", "must be between 1 and the width");
  if (!std::isfinite(options.alpha)) return badOption("alpha", "is not a finite number");
  gguf::Writer writer;
  ORTHROS_TRY(writer.add("general.architecture", std::string("llama")));
  ORTHROS_TRY(writer.add("general.type", std::string("adapter")));
  ORTHROS_TRY(writer.add("general.name", std::string("Generated, random adapter")));
  ORTHROS_TRY(writer.add("adapter.type", std::string("lora")));
  ORTHROS_TRY(writer.add("adapter.lora.alpha", options.alpha));
  for (const auto& [key, value] : options.keys) ORTHROS_TRY(writer.add(key, value));
  if (options.embedding)
    ORTHROS_TRY(addFactors(options, "token_embd.weight", base.width, base.vocabulary, writer));
  for (uint32_t layer = 0; layer < base.layers; ++layer) {
    for (const MatrixShape& matrix : layerMatrices(base))
      ORTHROS_TRY(
          addFactors(options, layerTensor(layer, matrix.name), matrix.inputs, matrix.outputs, writer));
  }
  return writer;
}

}  // namespace

Result<SynthOptions> synthShape(std::string_view name) {
  std::string names;
  for (const NamedShape& shape : namedShapes) {
    if (shape.name == name) return shape.options;
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
  }
  return fail(ErrorCode::invalidArgument, "shape " + std::string(name), "is not known",
              "Choose one of " + names);
}

std::vector<std::string> synthShapeNames() {
  std::vector<std::string> names;
  for (const NamedShape& shape : namedShapes) names.emplace_back(shape.name);
  return names;
}

uint64_t parameterCount(const SynthOptions& options) {
  uint64_t perLayer = 2 * uint64_t{options.width};
  for (const MatrixShape& matrix : layerMatrices(options))
    perLayer += uint64_t{matrix.inputs} * matrix.outputs;
  const uint64_t embedding = uint64_t{options.width} * options.vocabulary;
  return options.layers * perLayer + (options.tied ? 1 : 2) * embedding + options.width;
}

Status writeSynth(const SynthOptions& options, const std::filesystem::path& path) {
  ORTHROS_ASSIGN(const gguf::Writer writer, ModelBuilder(options).build());
  return writer.write(path);
}

Result<std::vector<std::byte>> synthBytes(const SynthOptions& options) {
  ORTHROS_ASSIGN(const gguf::Writer writer, ModelBuilder(options).build());
  return writer.toBytes();
}

Status writeSynthAdapter(const SynthOptions& base, const SynthAdapterOptions& options,
                         const std::filesystem::path& path) {
  ORTHROS_ASSIGN(const gguf::Writer writer, buildAdapter(base, options));
  return writer.write(path);
}

Result<std::vector<std::byte>> synthAdapterBytes(const SynthOptions& base,
                                                 const SynthAdapterOptions& options) {
  ORTHROS_ASSIGN(const gguf::Writer writer, buildAdapter(base, options));
  return writer.toBytes();
}

}  // namespace orthros::model
