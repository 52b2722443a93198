// Low-rank adapters (LoRA): small files that change a base model's weights, its RoPE frequencies, its context
// and its phase plan. Convention: llama.cpp's adapter GGUF (general.type "adapter", adapter.type "lora", for
// each changed tensor <tensor>.lora_a [in, rank] and <tensor>.lora_b [rank, out]); W becomes W + (alpha /
// rank) B A.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/gguf/file.hpp"
#include "engine/model/spec.hpp"

namespace orthros::model {

// The factors of one tensor, expanded to float. Memory: 4 (inputs + outputs) rank bytes.
struct LowRankChange {
  uint64_t inputs = 0;   // values per row of the changed tensor, shape[0]
  uint64_t outputs = 0;  // its rows, shape[1]
  uint32_t rank = 0;
  float scale = 1.f;         // alpha / rank; 1 where the file's alpha is 0
  std::vector<float> basis;  // [rank, inputs]
  std::vector<float>
      mix;  // [outputs, rank], scale included: row r gains the sum over k of mix[r, k] basis[k]
};

class Adapter {
 public:
  static Result<Adapter> open(const std::filesystem::path& path);
  // Takes the file over; its bytes are no longer needed for merging, only for metadata.
  static Result<Adapter> read(gguf::File file);

  // The adapter's file, for its plan keys (orthros.*) and general.name.
  const gguf::File& file() const { return file_; }
  const std::string& architecture() const { return architecture_; }
  uint32_t largestRank() const;
  size_t changedTensors() const { return changes_.size(); }
  bool changes(std::string_view tensorName) const { return find(tensorName) != nullptr; }

  // Whether this adapter belongs to `base`: same architecture, every changed tensor there with a fitting
  // shape. The error is a mismatch that names the tensor.
  Status checkBase(const gguf::File& base) const;

  // Applies what the adapter says besides weights: orthros.rope.factors (they take the place of the base's
  // own factors), <architecture>.rope.freq_base and <architecture>.context_length. `spec` is untouched after
  // an error.
  Status applyTo(ModelSpec& spec) const;

  // Adds the change to the rows [firstRow, firstRow + rows) of a tensor, given as floats [rows, inputs]. Does
  // nothing for a tensor that the adapter does not change. Each row's result depends on that row alone.
  // Callable concurrently.
  void mergeRows(std::string_view tensorName, uint64_t firstRow, uint64_t rows,
                 std::span<float> weights) const;

  // How the adapter was made: (key without "orthros.train.", text), in the file's order.
  std::vector<std::pair<std::string, std::string>> trainInfo() const;

 private:
  friend class AdapterReader;
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  Adapter() = default;
  const LowRankChange* find(std::string_view tensorName) const;

  gguf::File file_;
  std::string architecture_;
  std::unordered_map<std::string, LowRankChange, NameHash, std::equal_to<>> changes_;
};

}  // namespace orthros::model
