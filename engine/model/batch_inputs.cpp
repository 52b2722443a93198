#include "engine/model/batch_inputs.hpp"

#include <cstring>

#include "engine/base/checked.hpp"

namespace orthros::model {
namespace {

struct Sizes {
  uint64_t tokens, table, angles;

  Sizes(const DeviceShape& shape, uint32_t rows, uint32_t classes) {
    // One tile more: a tile may begin at any row.
    const uint64_t padded = roundUp(rows, uint32_t{ROW_PADDING}) + ROW_PADDING;
    tokens = padded * 4;
    table = padded * classes * sizeof(TableEntry);  // also of tiles: of one row at the smallest
    angles = padded * shape.heads.headSize * 4;
  }
};

template <class T>
void copyTo(vulkan::Buffer& target, std::span<const T> values) {
  std::memcpy(target.mapped().data(), values.data(), values.size_bytes());
}

}  // namespace

uint64_t BatchInputs::plannedBytes(const DeviceShape& shape, uint32_t rows, uint32_t classes) {
  const Sizes sizes(shape, rows, classes);
  return sizes.tokens + 2 * sizes.table + sizes.angles;
}

Result<BatchInputs> BatchInputs::create(vulkan::Device& device, const DeviceShape& shape, uint32_t rows,
                                        uint32_t classes) {
  const Sizes sizes(shape, rows, classes);
  BatchInputs inputs;
  inputs.headSize_ = shape.heads.headSize;
  const struct {
    std::shared_ptr<vulkan::Buffer>* buffer;
    const char* name;
    uint64_t bytes;
  } wanted[] = {{&inputs.tokens_, "tokens", sizes.tokens},
                {&inputs.rowTable_, "row table", sizes.table},
                {&inputs.tileTable_, "tile table", sizes.table},
                {&inputs.angles_, "rotation angles", sizes.angles}};
  for (const auto& [buffer, name, bytes] : wanted) {
    vulkan::BufferDescription description;
    description.name = name;
    description.bytes = bytes;
    description.memory = vulkan::MemoryKind::table;
    description.category = vulkan::MemoryCategory::workspace;
    ORTHROS_ASSIGN(*buffer, vulkan::Buffer::create(device, description));
  }
  return inputs;
}

void BatchInputs::write(std::span<const uint32_t> tokens, const RowTableData& tables,
                        const RotationAngles& rotations, uint32_t firstPosition) {
  copyTo(*tokens_, tokens);
  copyTo(*rowTable_, std::span(tables.rows));
  copyTo(*tileTable_, std::span(tables.tiles));
  const auto bytes = angles_->mapped();
  const std::span target(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float));
  rotations.write(firstPosition, static_cast<uint32_t>(tokens.size()), headSize_ / 2, target);
}

uint64_t BatchInputs::bytes() const {
  return tokens_->bytes() + rowTable_->bytes() + tileTable_->bytes() + angles_->bytes();
}

}  // namespace orthros::model
