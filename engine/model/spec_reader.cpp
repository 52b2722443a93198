#include "engine/model/spec_reader.hpp"

#include <algorithm>
#include <cmath>

#include "engine/model/rope_scaling.hpp"
#include "engine/model/spec_checks.hpp"

namespace orthros::model {
namespace {

// Far above any model: they keep products of two fields within 64 bits and loops short.
constexpr uint32_t mostLayers = 1u << 16;
constexpr uint32_t mostValues = 1u << 24;
constexpr uint32_t mostTokens = 1u << 30;

std::string shapeText(const std::vector<uint64_t>& shape) {
  std::string text;
  for (const uint64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

}  // namespace

Result<ModelSpec> SpecReader::read() {
  ORTHROS_ASSIGN(const auto type, file_.getOr<std::string>("general.type", "model"));
  if (type == "adapter")
    return fail(ErrorCode::invalidArgument, file_.name(), "is an adapter, not a model",
                "Choose the model that it belongs to and attach it there");
  ORTHROS_ASSIGN(architecture_, architectureOf(file_));
  spec_.architecture = architecture_->name;
  ORTHROS_ASSIGN(spec_.name, file_.getOr<std::string>("general.name", ""));
  ORTHROS_TRY(refuseUnsupported());
  ORTHROS_TRY(readSizes());
  ORTHROS_TRY(readHeads());
  ORTHROS_TRY(readNumbers());
  ORTHROS_TRY(readVocabulary());
  ORTHROS_TRY(readRope());
  ORTHROS_TRY(checkTensors());
  return std::move(spec_);
}

std::string SpecReader::key(const char* name) const {
  return std::string(architecture_->name) + "." + name;
}

Result<uint32_t> SpecReader::count(const char* name, uint32_t most) const {
  ORTHROS_ASSIGN(const uint32_t value, file_.get<uint32_t>(key(name)));
  if (value == 0 || value > most)
    return badKey(file_, key(name),
                  "is " + std::to_string(value) + ", not between 1 and " + std::to_string(most));
  return value;
}

Result<uint32_t> SpecReader::countOr(const char* name, uint32_t fallback, uint32_t most) const {
  if (!file_.find(key(name))) return fallback;
  return count(name, most);
}

Result<uint32_t> SpecReader::layerCount(const char* name, uint32_t most) const {
  const gguf::Value* value = file_.find(key(name));
  if (!value || !std::holds_alternative<gguf::Array>(*value)) return count(name, most);
  ORTHROS_ASSIGN(const uint32_t shared, uniform(key(name)));
  if (shared == 0 || shared > most) return badKey(file_, key(name), "holds " + std::to_string(shared));
  return shared;
}

Result<uint32_t> SpecReader::uniform(const std::string& fullKey) const {
  ORTHROS_ASSIGN(const auto values, file_.get<std::vector<uint32_t>>(fullKey));
  if (values.size() != spec_.layers)
    return badKey(
        file_, fullKey,
        "has " + std::to_string(values.size()) + " entries for " + std::to_string(spec_.layers) + " layers");
  if (!std::all_of(values.begin(), values.end(), [&](uint32_t value) { return value == values.front(); }))
    return fail(ErrorCode::unsupported, file_.name() + ": key " + fullKey,
                "differs between layers, which this program cannot run", "Choose another model");
  return values.front();
}

Status SpecReader::refuseUnsupported() const {
  ORTHROS_ASSIGN(const auto experts, file_.getOr<uint32_t>(key("expert_count"), 0));
  if (experts > 0)
    return fail(ErrorCode::unsupported, file_.name() + ": key " + key("expert_count"),
                "is " + std::to_string(experts) + ": a mixture of experts, which this program cannot run",
                "Choose a dense model");
  ORTHROS_ASSIGN(const bool causal, file_.getOr<bool>(key("attention.causal"), true));
  if (!causal)
    return fail(ErrorCode::unsupported, file_.name() + ": key " + key("attention.causal"),
                "is false: the model does not generate text", "Choose a language model");
  return {};
}

Status SpecReader::readSizes() {
  ORTHROS_ASSIGN(spec_.layers, count("block_count", mostLayers));
  ORTHROS_ASSIGN(spec_.width, count("embedding_length", mostValues));
  ORTHROS_ASSIGN(spec_.feedForward, layerCount("feed_forward_length", mostValues));
  ORTHROS_ASSIGN(spec_.contextTokens, count("context_length", mostTokens));
  return {};
}

Status SpecReader::readHeads() {
  ORTHROS_ASSIGN(spec_.heads, layerCount("attention.head_count", mostValues));
  const bool grouped = file_.find(key("attention.head_count_kv")) != nullptr;
  ORTHROS_ASSIGN(spec_.kvHeads, grouped ? layerCount("attention.head_count_kv", mostValues) : spec_.heads);
  if (spec_.heads % spec_.kvHeads != 0)
    return badKey(file_, key("attention.head_count_kv"),
                  "is " + std::to_string(spec_.kvHeads) + ", which does not divide the " +
                      std::to_string(spec_.heads) + " query heads");
  const bool isExplicit = file_.find(key("attention.key_length")) != nullptr;
  if (!isExplicit && spec_.width % spec_.heads != 0)
    return badKey(file_, key("attention.head_count"),
                  "is " + std::to_string(spec_.heads) + ", which does not divide the width " +
                      std::to_string(spec_.width));
  const uint32_t quotient = spec_.width / spec_.heads;
  ORTHROS_ASSIGN(spec_.headSize, countOr("attention.key_length", quotient, mostValues));
  ORTHROS_ASSIGN(const uint32_t valueSize, countOr("attention.value_length", quotient, mostValues));
  if (spec_.headSize == 0) return badKey(file_, key("attention.head_count"), "is larger than the width");
  if (valueSize != spec_.headSize)
    return fail(ErrorCode::unsupported, file_.name() + ": key " + key("attention.value_length"),
                "is " + std::to_string(valueSize) + " where key_length is " + std::to_string(spec_.headSize) +
                    "; this program needs them equal",
                "Choose another model");
  return {};
}

Status SpecReader::readNumbers() {
  ORTHROS_ASSIGN(spec_.normEpsilon, file_.get<float>(key("attention.layer_norm_rms_epsilon")));
  if (!std::isfinite(spec_.normEpsilon) || spec_.normEpsilon < 0.f)
    return badKey(file_, key("attention.layer_norm_rms_epsilon"), "is " + gguf::toText(spec_.normEpsilon));
  ORTHROS_ASSIGN(const float scale, file_.getOr<float>(key("attention.scale"), 0.f));
  if (!std::isfinite(scale) || scale < 0.f)
    return badKey(file_, key("attention.scale"), "is " + gguf::toText(scale));
  spec_.attentionScale = scale > 0.f ? scale : 1.f / std::sqrt(static_cast<float>(spec_.headSize));
  return {};
}

Status SpecReader::readVocabulary() {
  ORTHROS_ASSIGN(const gguf::Tensor* embedding, file_.tensor("token_embd.weight"));
  const std::string subject = file_.name() + ": tensor token_embd.weight";
  if (embedding->shape.size() != 2)
    return fail(ErrorCode::malformed, subject,
                "has " + std::to_string(embedding->shape.size()) + " dimensions, not 2");
  const uint64_t rows = embedding->shape[1];
  if (rows > mostValues) return fail(ErrorCode::malformed, subject, "has " + std::to_string(rows) + " rows");
  spec_.vocabulary = static_cast<uint32_t>(rows);
  const std::string tokensKey = "tokenizer.ggml.tokens";
  if (file_.find(tokensKey)) {
    ORTHROS_ASSIGN(const auto* tokens, file_.array<std::string>(tokensKey));
    if (tokens->size() != rows)
      return badKey(file_, tokensKey,
                    "has " + std::to_string(tokens->size()) + " tokens for the " + std::to_string(rows) +
                        " rows of token_embd.weight");
    return {};
  }
  ORTHROS_ASSIGN(const uint32_t stated, file_.getOr<uint32_t>(key("vocab_size"), spec_.vocabulary));
  if (stated != spec_.vocabulary)
    return badKey(
        file_, key("vocab_size"),
        "is " + std::to_string(stated) + " for the " + std::to_string(rows) + " rows of token_embd.weight");
  return {};
}

Status SpecReader::readRope() {
  spec_.rope.layout = architecture_->rope;
  ORTHROS_ASSIGN(spec_.rope.dimensions, countOr("rope.dimension_count", spec_.headSize, mostValues));
  if (spec_.rope.dimensions % 2 != 0 || spec_.rope.dimensions > spec_.headSize)
    return badKey(file_, key("rope.dimension_count"),
                  "is " + std::to_string(spec_.rope.dimensions) +
                      ": not an even number up to the head size " + std::to_string(spec_.headSize));
  ORTHROS_TRY(readRopeFactors());
  return readRopeScaling(file_, std::string(architecture_->name), spec_.contextTokens, spec_.rope);
}

Status SpecReader::readRopeFactors() {
  const gguf::Tensor* tensor = file_.findTensor("rope_freqs.weight");
  if (!tensor) return {};
  const std::string subject = file_.name() + ": tensor " + tensor->name;
  const uint32_t pairs = spec_.rope.dimensions / 2;
  if (tensor->elements != pairs)
    return fail(ErrorCode::malformed, subject,
                "has " + std::to_string(tensor->elements) + " values, not " + std::to_string(pairs));
  spec_.rope.factors.resize(pairs);
  gguf::dequantize(tensor->format, tensor->data, spec_.rope.factors);
  return checkRopeFactors(subject, spec_.rope.factors, pairs);
}

Status SpecReader::checkTensors() {
  for (const TensorRule& rule : architecture_->modelTensors)
    ORTHROS_TRY(checkTensor(rule, std::string(rule.name)));
  for (uint32_t layer = 0; layer < spec_.layers; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    for (const TensorRule& rule : architecture_->layerTensors)
      ORTHROS_TRY(checkTensor(rule, prefix + std::string(rule.name)));
  }
  if (biases_ > 0 && !firstMissingBias_.empty())
    return fail(ErrorCode::malformed, file_.name() + ": tensor " + firstMissingBias_,
                "is missing although other query, key or value biases are there", "Convert the model again");
  spec_.qkvBias = biases_ > 0;
  spec_.tiedOutput = file_.findTensor("output.weight") == nullptr;
  return refuseUnknownTensors();
}

Status SpecReader::checkTensor(const TensorRule& rule, const std::string& name) {
  const gguf::Tensor* tensor = file_.findTensor(name);
  if (!tensor) {
    if (rule.presence == Presence::required) return fail(file_.tensor(name).error());
    if (rule.presence == Presence::qkvBias && firstMissingBias_.empty()) firstMissingBias_ = name;
    return {};
  }
  seen_.insert(tensor->name);
  biases_ += rule.presence == Presence::qkvBias;
  return checkShape(rule, *tensor);
}

Status SpecReader::checkShape(const TensorRule& rule, const gguf::Tensor& tensor) const {
  std::vector<uint64_t> wanted = {lengthOf(rule.inputs, spec_)};
  if (rule.outputs != Extent::none) wanted.push_back(lengthOf(rule.outputs, spec_));
  if (tensor.shape == wanted) return {};
  return fail(ErrorCode::malformed, file_.name() + ": tensor " + tensor.name,
              "has the shape " + shapeText(tensor.shape) + " where the metadata needs " + shapeText(wanted),
              "The file does not follow its format; convert the model again");
}

// A tensor that nothing reads would change the result if it were read: running the model without it is wrong.
Status SpecReader::refuseUnknownTensors() const {
  for (const gguf::Tensor& tensor : file_.tensors()) {
    if (seen_.count(tensor.name) > 0) continue;
    return fail(ErrorCode::unsupported, file_.name() + ": tensor " + tensor.name,
                "is not part of architecture " + spec_.architecture + " as this program runs it",
                "Choose another model or convert it again");
  }
  return {};
}

}  // namespace orthros::model
