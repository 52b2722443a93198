#include "engine/model/workspace.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"

namespace orthros::model {
namespace {

struct WorkspaceSizes {
  uint64_t hidden, joined, query, gated, logits, partials, arrivals, argmaxScratch, logitsOnHost;

  WorkspaceSizes(const DeviceModel& model, uint32_t rows) {
    const DeviceShape& shape = model.shape();
    // One tile more: a tile may begin at any row.
    const uint64_t padded = roundUp(rows, uint32_t{ROW_PADDING}) + ROW_PADDING;
    hidden = padded * shape.width * 4;
    joined = padded * shape.qkv * 4;
    query = padded * shape.attention * 4;
    gated = padded * shape.feedForward * 4;
    logits = uint64_t{Workspace::logitRows} * shape.vocabulary * 4;
    partials = model.attention().partialBytes(rows);
    arrivals = std::max<uint64_t>(model.attention().arrivalBytes(), 4 * kernels::Argmax::maxRows);
    argmaxScratch = kernels::Argmax::scratchBytes;
    logitsOnHost = uint64_t{shape.vocabulary} * 4;
  }
  uint64_t total() const {
    return 2 * hidden + joined + 2 * query + gated + logits + partials + arrivals + argmaxScratch +
           logitsOnHost;
  }
};

}  // namespace

Workspace::Workspace(DeviceModel& model, uint32_t rows)
    : model_(model), shape_(model.shape()), rows_(rows), rotations_(model.spec().rope) {}

uint64_t Workspace::plannedBytes(const DeviceModel& model, uint32_t rows, uint32_t classes) {
  return WorkspaceSizes(model, rows).total() + 2 * BatchInputs::plannedBytes(model.shape(), rows, classes) +
         BatchInputs::plannedBytes(model.shape(), decodeRows, classes);
}

Result<std::unique_ptr<Workspace>> Workspace::create(DeviceModel& model, uint32_t rows, uint32_t classes) {
  std::unique_ptr<Workspace> workspace(new Workspace(model, rows));
  ORTHROS_TRY(workspace->allocate(classes));
  return workspace;
}

Status Workspace::allocate(uint32_t classes) {
  const WorkspaceSizes sizes(model_, rows_);
  using vulkan::MemoryKind;
  const struct {
    std::shared_ptr<vulkan::Buffer>* buffer;
    const char* name;
    uint64_t bytes;
    MemoryKind memory;
  } wanted[] = {
      {&hidden_, "hidden rows", sizes.hidden, MemoryKind::device},
      {&normed_, "normed rows", sizes.hidden, MemoryKind::device},
      {&joined_, "joined Q, K and V", sizes.joined, MemoryKind::device},
      {&query_, "queries", sizes.query, MemoryKind::device},
      {&attended_, "attention output", sizes.query, MemoryKind::device},
      {&gated_, "gated rows", sizes.gated, MemoryKind::device},
      {&logits_, "logits", sizes.logits, MemoryKind::device},
      {&partials_, "attention partials", sizes.partials, MemoryKind::device},
      {&arrivals_, "arrivals", sizes.arrivals, MemoryKind::device},
      {&argmaxScratch_, "candidates", sizes.argmaxScratch, MemoryKind::device},
      {&logitsOnHost_, "logits on the host", sizes.logitsOnHost, MemoryKind::readback},
  };
  for (const auto& [buffer, name, bytes, memory] : wanted) {
    vulkan::BufferDescription description;
    description.name = name;
    description.bytes = bytes;
    description.memory = memory;
    description.category = vulkan::MemoryCategory::workspace;
    ORTHROS_ASSIGN(*buffer, vulkan::Buffer::create(model_.device(), description));
  }
  for (const uint32_t rows : {rows_, rows_, decodeRows}) {
    ORTHROS_ASSIGN(BatchInputs inputs, BatchInputs::create(model_.device(), shape_, rows, classes));
    inputs_.push_back(std::move(inputs));
  }
  // Filled on the device: an upload would need staging memory, and its failure would name that.
  ORTHROS_TRY(model_.queue().fill(*arrivals_, 0, arrivals_->bytes(), 0));
  return model_.queue().finish();
}

uint64_t Workspace::bytes() const {
  uint64_t total = 0;
  for (const BatchInputs& inputs : inputs_) total += inputs.bytes();
  for (const auto* buffer : {&hidden_, &normed_, &joined_, &query_, &attended_, &gated_, &logits_, &partials_,
                             &arrivals_, &argmaxScratch_, &logitsOnHost_})
    total += (*buffer)->bytes();
  return total;
}

}  // namespace orthros::model
