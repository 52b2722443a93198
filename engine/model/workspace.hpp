// The buffers a forward pass works in: activations of one batch, and the inputs its kernels read.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/batch_inputs.hpp"
#include "engine/model/device_model.hpp"
#include "engine/model/rotation_angles.hpp"
#include "engine/model/row_tables.hpp"

namespace orthros::model {

class Workspace {
 public:
  static constexpr uint32_t logitRows = 32;   // rows of logits computed at once
  static constexpr uint32_t decodeRows = 16;  // answer rows whose inputs are written at once

  // For batches of up to `rows` rows under a plan with `classes` attention classes.
  static Result<std::unique_ptr<Workspace>> create(DeviceModel& model, uint32_t rows, uint32_t classes);
  // What create would allocate.
  static uint64_t plannedBytes(const DeviceModel& model, uint32_t rows, uint32_t classes);

  // Inputs of batches by turns, so that those of the next can be written while the device reads the last
  // ones.
  BatchInputs& batchInputs(uint64_t turn) { return inputs_[turn % 2]; }
  BatchInputs& decodeInputs() { return inputs_[2]; }
  const RotationAngles& rotations() const { return rotations_; }

  uint64_t bytes() const;
  vulkan::Buffer& partials() const { return *partials_; }
  vulkan::Buffer& arrivals() const { return *arrivals_; }
  vulkan::Buffer& argmaxScratch() const { return *argmaxScratch_; }
  vulkan::Buffer& logitsOnHost() const { return *logitsOnHost_; }                // [vocabulary] f32
  kernels::Activations hidden() const { return {hidden_.get(), shape_.width}; }  // residual stream
  kernels::Activations normed() const { return {normed_.get(), shape_.width}; }
  kernels::Activations joined() const { return {joined_.get(), shape_.qkv}; }  // Q, K and V
  kernels::Activations query() const { return {query_.get(), shape_.attention}; }
  kernels::Activations attended() const { return {attended_.get(), shape_.attention}; }
  kernels::Activations gated() const { return {gated_.get(), shape_.feedForward}; }
  kernels::Activations logits() const { return {logits_.get(), shape_.vocabulary}; }

 private:
  Workspace(DeviceModel& model, uint32_t rows);
  Status allocate(uint32_t classes);

  DeviceModel& model_;
  DeviceShape shape_;
  uint32_t rows_;
  RotationAngles rotations_;
  std::vector<BatchInputs> inputs_;
  std::shared_ptr<vulkan::Buffer> hidden_, normed_, joined_, query_, attended_, gated_, logits_, partials_;
  std::shared_ptr<vulkan::Buffer> arrivals_, argmaxScratch_, logitsOnHost_;
};

}  // namespace orthros::model
