// Architectures as data: which tensors a model of each has, their shapes, and what distinguishes its
// calculation. A further architecture of the same family is one more row of the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"

namespace orthros::model {

enum class Presence : uint8_t {
  required,
  optional,
  qkvBias,  // all tensors marked so are in the file, in every layer, or none is; ModelSpec::qkvBias says
            // which
};

// The length of a tensor's dimension, in terms of a ModelSpec.
enum class Extent : uint8_t {
  none,     // the tensor has no such dimension
  width,    // d
  queries,  // heads * headSize
  keys,     // kvHeads * headSize
  feedForward,
  vocabulary,
  ropePairs,  // rope.dimensions / 2
};
uint64_t lengthOf(Extent extent, const ModelSpec& spec);

struct TensorRule {
  std::string_view name;  // "attn_q.weight"; a layer's tensors have "blk.<layer>." before it
  Extent inputs;          // shape[0]
  Extent outputs;         // shape[1]
  Presence presence;
};

enum class Activation : uint8_t { silu };

struct Architecture {
  std::string_view name;  // general.architecture, also the prefix of its keys
  RopeLayout rope;
  Activation activation;  // of the gate: activation(gate) * up
  std::span<const TensorRule> modelTensors;
  std::span<const TensorRule> layerTensors;
};

// The error lists what is supported.
Result<const Architecture*> architectureOf(const gguf::File& file);
std::string supportedArchitectures();

}  // namespace orthros::model
