#include "engine/model/adapter.hpp"

#include <algorithm>
#include <cmath>

#include "engine/model/adapter_reader.hpp"
#include "engine/model/spec_checks.hpp"

namespace orthros::model {
namespace {

constexpr uint64_t tileValues =
    1024;  // of a row: it stays in the first-level cache while all ranks are added

// row[i] += the sum over k of mix[k] * basis[k * stride + i], four k at a time to halve the traffic of `row`.
void addRanks(float* __restrict row, uint64_t values, const float* mix, uint32_t rank, const float* basis,
              uint64_t stride) {
  uint32_t k = 0;
  for (; k + 4 <= rank; k += 4) {
    const float m0 = mix[k], m1 = mix[k + 1], m2 = mix[k + 2], m3 = mix[k + 3];
    const float* __restrict b0 = basis + k * stride;
    const float* __restrict b1 = b0 + stride;
    const float* __restrict b2 = b1 + stride;
    const float* __restrict b3 = b2 + stride;
    for (uint64_t i = 0; i < values; ++i) row[i] += (m0 * b0[i] + m1 * b1[i]) + (m2 * b2[i] + m3 * b3[i]);
  }
  for (; k < rank; ++k) {
    const float* __restrict one = basis + k * stride;
    for (uint64_t i = 0; i < values; ++i) row[i] += mix[k] * one[i];
  }
}

tl::unexpected<Error> foreignBase(const Adapter& adapter, const std::string& subject,
                                  const std::string& happened) {
  return fail(ErrorCode::mismatch, adapter.file().name() + ": " + subject,
              happened + ": an adapter for another base model",
              "Attach it to the model that it was made for");
}

}  // namespace

Result<Adapter> Adapter::open(const std::filesystem::path& path) {
  ORTHROS_ASSIGN(gguf::File file, gguf::File::open(path));
  return read(std::move(file));
}

Result<Adapter> Adapter::read(gguf::File file) {
  return AdapterReader(std::move(file)).read();
}

const LowRankChange* Adapter::find(std::string_view tensorName) const {
  const auto found = changes_.find(tensorName);
  return found == changes_.end() ? nullptr : &found->second;
}

uint32_t Adapter::largestRank() const {
  uint32_t largest = 0;
  for (const auto& [name, change] : changes_) largest = std::max(largest, change.rank);
  return largest;
}

Status Adapter::checkBase(const gguf::File& base) const {
  ORTHROS_ASSIGN(const auto baseArchitecture, base.get<std::string>("general.architecture"));
  if (baseArchitecture != architecture_)
    return foreignBase(*this, "key general.architecture",
                       "is " + architecture_ + " where the model is " + baseArchitecture);
  for (const auto& [name, change] : changes_) {
    const gguf::Tensor* tensor = base.findTensor(name);
    if (!tensor) return foreignBase(*this, "tensor " + name, "the model has no such tensor");
    if (tensor->shape != std::vector<uint64_t>{change.inputs, change.outputs})
      return foreignBase(*this, "tensor " + name,
                         "fits " + std::to_string(change.inputs) + " x " + std::to_string(change.outputs) +
                             " values, not the model's");
  }
  return {};
}

Status Adapter::applyTo(ModelSpec& spec) const {
  ModelSpec changed = spec;
  const std::string factorsKey = "orthros.rope.factors";
  if (file_.find(factorsKey)) {
    ORTHROS_ASSIGN(changed.rope.factors, file_.get<std::vector<float>>(factorsKey));
    ORTHROS_TRY(checkRopeFactors(file_.name() + ": key " + factorsKey, changed.rope.factors,
                                 spec.rope.dimensions / 2));
  }
  const std::string baseKey = architecture_ + ".rope.freq_base";
  ORTHROS_ASSIGN(changed.rope.base, file_.getOr<float>(baseKey, spec.rope.base));
  if (!std::isfinite(changed.rope.base) || changed.rope.base <= 1.f)
    return badKey(file_, baseKey, "is " + gguf::toText(changed.rope.base) + ", not a number above 1");
  const std::string contextKey = architecture_ + ".context_length";
  ORTHROS_ASSIGN(changed.contextTokens, file_.getOr<uint32_t>(contextKey, spec.contextTokens));
  if (changed.contextTokens == 0) return badKey(file_, contextKey, "is 0");
  spec = std::move(changed);
  return {};
}

void Adapter::mergeRows(std::string_view tensorName, uint64_t firstRow, uint64_t rows,
                        std::span<float> weights) const {
  const LowRankChange* change = find(tensorName);
  if (!change || firstRow > change->outputs || rows > change->outputs - firstRow ||
      weights.size() / change->inputs < rows)
    return;
  for (uint64_t row = 0; row < rows; ++row) {
    const float* mix = change->mix.data() + (firstRow + row) * change->rank;
    float* values = weights.data() + row * change->inputs;
    for (uint64_t begin = 0; begin < change->inputs; begin += tileValues)
      addRanks(values + begin, std::min(tileValues, change->inputs - begin), mix, change->rank,
               change->basis.data() + begin, change->inputs);
  }
}

std::vector<std::pair<std::string, std::string>> Adapter::trainInfo() const {
  constexpr std::string_view prefix = "orthros.train.";
  std::vector<std::pair<std::string, std::string>> info;
  for (const auto& [key, value] : file_.metadata()) {
    if (key.starts_with(prefix)) info.emplace_back(key.substr(prefix.size()), gguf::toText(value));
  }
  return info;
}

}  // namespace orthros::model
