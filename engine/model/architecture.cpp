#include "engine/model/architecture.hpp"

namespace orthros::model {
namespace {

constexpr TensorRule modelTensors[] = {
    {"token_embd.weight", Extent::width, Extent::vocabulary, Presence::required},
    {"output_norm.weight", Extent::width, Extent::none, Presence::required},
    {"output.weight", Extent::width, Extent::vocabulary, Presence::optional},  // absent: token_embd.weight
    {"rope_freqs.weight", Extent::ropePairs, Extent::none, Presence::optional},
};

constexpr TensorRule gatedLayer[] = {
    {"attn_norm.weight", Extent::width, Extent::none, Presence::required},
    {"attn_q.weight", Extent::width, Extent::queries, Presence::required},
    {"attn_k.weight", Extent::width, Extent::keys, Presence::required},
    {"attn_v.weight", Extent::width, Extent::keys, Presence::required},
    {"attn_q.bias", Extent::queries, Extent::none, Presence::qkvBias},
    {"attn_k.bias", Extent::keys, Extent::none, Presence::qkvBias},
    {"attn_v.bias", Extent::keys, Extent::none, Presence::qkvBias},
    {"attn_output.weight", Extent::queries, Extent::width, Presence::required},
    {"ffn_norm.weight", Extent::width, Extent::none, Presence::required},
    {"ffn_gate.weight", Extent::width, Extent::feedForward, Presence::required},
    {"ffn_up.weight", Extent::width, Extent::feedForward, Presence::required},
    {"ffn_down.weight", Extent::feedForward, Extent::width, Presence::required},
};

constexpr Architecture architectures[] = {
    {"llama", RopeLayout::interleaved, Activation::silu, modelTensors, gatedLayer},
};

}  // namespace

uint64_t lengthOf(Extent extent, const ModelSpec& spec) {
  switch (extent) {
    case Extent::none:
      return 1;
    case Extent::width:
      return spec.width;
    case Extent::queries:
      return uint64_t{spec.heads} * spec.headSize;
    case Extent::keys:
      return uint64_t{spec.kvHeads} * spec.headSize;
    case Extent::feedForward:
      return spec.feedForward;
    case Extent::vocabulary:
      return spec.vocabulary;
    case Extent::ropePairs:
      return spec.rope.dimensions / 2;
  }
  return 0;
}

std::string supportedArchitectures() {
  std::string names;
  for (const Architecture& architecture : architectures)
    names += (names.empty() ? "" : ", ") + std::string(architecture.name);
  return names;
}

Result<const Architecture*> architectureOf(const gguf::File& file) {
  ORTHROS_ASSIGN(const std::string name, file.get<std::string>("general.architecture"));
  for (const Architecture& architecture : architectures) {
    if (architecture.name == name) return &architecture;
  }
  return fail(ErrorCode::unsupported, file.name() + ": key general.architecture",
              "is " + name + ", which this program does not run yet",
              "Choose a model of " + supportedArchitectures());
}

}  // namespace orthros::model
