// Reads and checks an adapter file; Adapter::read() is its front.
#pragma once

#include <map>
#include <string>

#include "engine/model/adapter.hpp"

namespace orthros::model {

class AdapterReader {
 public:
  explicit AdapterReader(gguf::File file) : file_(std::move(file)) {}
  Result<Adapter> read();

 private:
  struct Halves {
    const gguf::Tensor* a = nullptr;
    const gguf::Tensor* b = nullptr;
  };

  Status checkKind() const;
  Status pairTensors();
  Status checkPair(const std::string& name, const Halves& halves) const;
  LowRankChange expand(const std::string& name, const Halves& halves) const;

  gguf::File file_;
  float alpha_ = 0;
  std::map<std::string, Halves> pairs_;  // by the changed tensor's name; points into file_
};

}  // namespace orthros::model
