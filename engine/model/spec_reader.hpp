// Reads a ModelSpec out of a model file, one group of fields after the other. readSpec() is its front.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "engine/model/architecture.hpp"

namespace orthros::model {

class SpecReader {
 public:
  explicit SpecReader(const gguf::File& file) : file_(file) {}
  Result<ModelSpec> read();

 private:
  std::string key(const char* name) const;
  // A number from 1 to `most`.
  Result<uint32_t> count(const char* name, uint32_t most) const;
  Result<uint32_t> countOr(const char* name, uint32_t fallback, uint32_t most) const;
  // As count, but the file may give one number per layer, which must all be equal.
  Result<uint32_t> layerCount(const char* name, uint32_t most) const;
  Result<uint32_t> uniform(const std::string& fullKey) const;

  Status refuseUnsupported() const;
  Status readSizes();
  Status readHeads();
  Status readNumbers();
  Status readRope();
  Status readRopeFactors();
  Status readVocabulary();
  Status checkTensors();
  Status checkTensor(const TensorRule& rule, const std::string& name);
  Status checkShape(const TensorRule& rule, const gguf::Tensor& tensor) const;
  Status refuseUnknownTensors() const;

  const gguf::File& file_;
  const Architecture* architecture_ = nullptr;
  ModelSpec spec_;
  std::unordered_set<std::string_view> seen_;  // tensors that a rule stands for; views into the file
  uint32_t biases_ = 0;                        // tensors with Presence::qkvBias in the file
  std::string firstMissingBias_;
};

}  // namespace orthros::model
