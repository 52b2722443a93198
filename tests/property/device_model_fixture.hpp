// A generated model on a device under the validation layer, beside the same model in double precision.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernels/kernel_library.hpp"
#include "engine/model/forward.hpp"
#include "engine/model/synth.hpp"
#include "engine/reference/model.hpp"
#include "tests/support/kernel_flavours.hpp"
#include "tests/support/must.hpp"

namespace orthros::test {

// Logits of rows, [rows, vocabulary].
using Logits = std::vector<float>;

class DeviceModelTest : public ::testing::Test {
 protected:
  void SetUp() override { openDevice({}); }
  void TearDown() override;

  // Replaces the device; skips the test where there is none.
  void openDevice(const vulkan::DeviceOptions& options);
  std::vector<kernels::Flavour> flavours() const { return kernelFlavours(device_->info()); }

  // Generates the model of `options`, loads it in full precision and builds its reference.
  void load(const model::SynthOptions& options, kernels::Flavour flavour);
  std::unique_ptr<model::Forward> forwardFor(const phase::PhasePlan& plan) const;
  std::unique_ptr<model::KvCache> newCache(uint32_t limit = 2048) const;

  std::vector<uint32_t> tokens(size_t count);
  // One batch; logits of its last `wantedRows` rows.
  Logits runBatch(model::Forward& forward, model::KvCache& cache, std::span<const uint32_t> rowTokens,
                  std::span<const phase::Phase> phases, uint32_t wantedRows) const;
  // Rows in batches of `batchRows`; logits of the last row.
  Logits runRows(model::Forward& forward, model::KvCache& cache, std::span<const uint32_t> rowTokens,
                 std::span<const phase::Phase> phases, uint32_t batchRows) const;

  std::shared_ptr<vulkan::Instance> instance_;
  std::shared_ptr<vulkan::Device> device_;
  std::shared_ptr<model::DeviceModel> model_;
  std::unique_ptr<reference::ReferenceModel> exact_;
  std::mt19937_64 random_{21};
};

}  // namespace orthros::test
