// What the host says about the rows of a batch: tokens, the keys they read, where they stand and at which
// angles.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/device_shape.hpp"
#include "engine/model/rotation_angles.hpp"
#include "engine/model/row_tables.hpp"
#include "engine/vulkan/buffer.hpp"

namespace orthros::model {

class BatchInputs {
 public:
  // For batches of up to `rows` rows under a plan with `classes` attention classes.
  static Result<BatchInputs> create(vulkan::Device& device, const DeviceShape& shape, uint32_t rows,
                                    uint32_t classes);
  // What create would allocate.
  static uint64_t plannedBytes(const DeviceShape& shape, uint32_t rows, uint32_t classes);

  // Nothing that reads the inputs may be pending on the device.
  void write(std::span<const uint32_t> tokens, const RowTableData& tables, const RotationAngles& rotations,
             uint32_t firstPosition);

  uint64_t bytes() const;
  vulkan::Buffer& tokens() const { return *tokens_; }
  kernels::RowTables tables() const { return {rowTable_.get(), tileTable_.get(), angles_.get()}; }

 private:
  uint32_t headSize_ = 0;
  std::shared_ptr<vulkan::Buffer> tokens_, rowTable_, tileTable_, angles_;
};

}  // namespace orthros::model
