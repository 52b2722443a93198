#include "engine/model/adapter_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/parallel.hpp"
#include "engine/model/spec_checks.hpp"

namespace orthros::model {
namespace {

constexpr std::string_view suffixA = ".lora_a", suffixB = ".lora_b";

// The embedding's factors stand the other way round: it is read by row, so lora_a has one row of `rank`
// values per token and lora_b is the basis, transposed.
bool isEmbedding(std::string_view name) {
  return name == "token_embd.weight";
}

std::vector<float> expanded(const gguf::Tensor& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.elements));
  gguf::dequantize(tensor.format, tensor.data, values);
  return values;
}

// [rows, columns] to [columns, rows].
std::vector<float> transposed(const std::vector<float>& values, uint64_t rows, uint64_t columns) {
  std::vector<float> result(values.size());
  for (uint64_t row = 0; row < rows; ++row) {
    for (uint64_t column = 0; column < columns; ++column)
      result[column * rows + row] = values[row * columns + column];
  }
  return result;
}

tl::unexpected<Error> notLora(const gguf::File& file, const std::string& key, const std::string& happened) {
  return fail(ErrorCode::unsupported, file.name() + ": key " + key, happened,
              "Choose a LoRA adapter in GGUF form");
}

}  // namespace

Result<Adapter> AdapterReader::read() {
  ORTHROS_TRY(checkKind());
  ORTHROS_ASSIGN(alpha_, file_.get<float>("adapter.lora.alpha"));
  if (!std::isfinite(alpha_)) return badKey(file_, "adapter.lora.alpha", "is not a finite number");
  ORTHROS_TRY(pairTensors());
  std::vector<std::pair<std::string, LowRankChange>> changes(pairs_.size());
  std::vector<const std::pair<const std::string, Halves>*> order;
  for (const auto& pair : pairs_) {
    ORTHROS_TRY(checkPair(pair.first, pair.second));
    order.push_back(&pair);
  }
  parallelFor(order.size(), [&](size_t i) {
    changes[i] = {order[i]->first, expand(order[i]->first, order[i]->second)};
  });
  Adapter adapter;
  ORTHROS_ASSIGN(adapter.architecture_, file_.get<std::string>("general.architecture"));
  for (auto& change : changes) adapter.changes_.insert(std::move(change));
  adapter.file_ = std::move(file_);
  return adapter;
}

Status AdapterReader::checkKind() const {
  ORTHROS_ASSIGN(const auto type, file_.getOr<std::string>("general.type", "model"));
  if (type != "adapter")
    return fail(ErrorCode::invalidArgument, file_.name() + ": key general.type",
                "is " + type + ": not an adapter", "Choose an adapter file");
  ORTHROS_ASSIGN(const auto kind, file_.get<std::string>("adapter.type"));
  if (kind != "lora")
    return notLora(file_, "adapter.type", "is " + kind + ", which this program does not know");
  if (file_.find("adapter.alora.invocation_tokens"))
    return notLora(file_, "adapter.alora.invocation_tokens",
                   "makes it an adapter that is on only for some tokens");
  return {};
}

Status AdapterReader::pairTensors() {
  for (const gguf::Tensor& tensor : file_.tensors()) {
    const std::string_view name = tensor.name;
    const bool isA = name.ends_with(suffixA), isB = name.ends_with(suffixB);
    if (!isA && !isB)
      return fail(ErrorCode::unsupported, file_.name() + ": tensor " + tensor.name,
                  "is neither a .lora_a nor a .lora_b, and this program applies nothing else",
                  "Choose a plain LoRA");
    Halves& halves = pairs_[std::string(name.substr(0, name.size() - suffixA.size()))];
    (isA ? halves.a : halves.b) = &tensor;
  }
  if (pairs_.empty())
    return fail(ErrorCode::malformed, file_.name(), "has no LoRA tensors", "Fetch the file again");
  return {};
}

Status AdapterReader::checkPair(const std::string& name, const Halves& halves) const {
  const std::string subject = file_.name() + ": tensor " + name;
  if (!halves.a)
    return fail(ErrorCode::malformed, subject + std::string(suffixA), "is missing", "Fetch the file again");
  if (!halves.b)
    return fail(ErrorCode::malformed, subject + std::string(suffixB), "is missing", "Fetch the file again");
  if (halves.a->shape.size() != 2 || halves.b->shape.size() != 2)
    return fail(ErrorCode::malformed, subject, "has LoRA factors that are not matrices",
                "Convert the adapter again");
  const uint64_t rankOfA = halves.a->shape[isEmbedding(name) ? 0 : 1], rankOfB = halves.b->shape[0];
  if (rankOfA != rankOfB || rankOfB > UINT32_MAX)
    return fail(
        ErrorCode::malformed, subject,
        "has LoRA factors of the ranks " + std::to_string(rankOfA) + " and " + std::to_string(rankOfB),
        "Convert the adapter again");
  return {};
}

LowRankChange AdapterReader::expand(const std::string& name, const Halves& halves) const {
  LowRankChange change;
  change.rank = static_cast<uint32_t>(halves.b->shape[0]);
  change.scale = alpha_ == 0.f ? 1.f : alpha_ / static_cast<float>(change.rank);
  if (isEmbedding(name)) {
    change.inputs = halves.b->shape[1];
    change.outputs = halves.a->shape[1];
    change.basis = transposed(expanded(*halves.b), change.inputs, change.rank);
    change.mix = expanded(*halves.a);
  } else {
    change.inputs = halves.a->shape[0];
    change.outputs = halves.b->shape[1];
    change.basis = expanded(*halves.a);
    change.mix = expanded(*halves.b);
  }
  for (float& value : change.mix) value *= change.scale;
  return change;
}

}  // namespace orthros::model
