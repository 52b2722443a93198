// A device with validation layers, and buffers filled with given values or NaN, for tests of kernels against
// the reference.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/packing.hpp"
#include "engine/kernels/tensors.hpp"
#include "engine/kernels/work_queue.hpp"
#include "engine/vulkan/transfer.hpp"
#include "tests/support/must.hpp"

namespace orthros::kernels::test {

using orthros::test::must;

// One device for all tests of the executable, opened at first use. Every test ends with a look at what the
// validation layer has said.
class TestDevice {
 public:
  static TestDevice& get();
  vulkan::Device& device() { return *device_; }
  vulkan::Instance& instance() { return *instance_; }
  std::vector<Flavour> flavours() const;
  std::shared_ptr<KernelLibrary> library(Flavour flavour);
  WorkQueue& queue() { return *queue_; }

 private:
  TestDevice();
  std::shared_ptr<vulkan::Instance> instance_;
  std::shared_ptr<vulkan::Device> device_;
  std::unique_ptr<WorkQueue> queue_;
  std::map<Flavour, std::shared_ptr<KernelLibrary>> libraries_;
};

class KernelTest : public ::testing::Test {
 protected:
  void TearDown() override;

  std::shared_ptr<vulkan::Buffer> bufferOf(std::span<const std::byte> bytes);
  template <class T>
  std::shared_ptr<vulkan::Buffer> bufferOf(const std::vector<T>& values) {
    return bufferOf(std::as_bytes(std::span(values)));
  }
  // `count` floats, all NaN: what a kernel does not write stays visible.
  std::shared_ptr<vulkan::Buffer> scratch(size_t count);
  std::vector<float> floatsOf(vulkan::Buffer& buffer, size_t count);
  // [rows][width] as an activation buffer: rows padded with NaN rows, columns beyond the width with zeros.
  Activations activations(const std::vector<float>& values, uint32_t width, uint32_t stride,
                          ActivationFormat format = ActivationFormat::f32);
  // The first `rows` rows, [rows][stride].
  std::vector<float> valuesOf(const Activations& activations, uint32_t rows);
  Activations scratchActivations(uint32_t rows, uint32_t stride);
  // Packs W[columns][inner]; `stored` receives the values that the packed weights stand for.
  Matrix matrix(DeviceFormat format, const std::vector<float>& weights, uint32_t columns, uint32_t inner,
                std::vector<float>& stored);

  std::vector<float> gaussian(size_t count, float deviation = 1.f);
  vulkan::Device& device() { return TestDevice::get().device(); }
  WorkQueue& queue() { return TestDevice::get().queue(); }

  std::mt19937 random_{7};
  std::vector<std::shared_ptr<vulkan::Buffer>> buffers_;  // kept until the test ends
};

// `values` as a buffer of this format stores them.
std::vector<float> asStored(std::vector<float> values, ActivationFormat format);

// The largest difference of `actual` [rows][stride] from `expected` [rows][width], relative to `scale`;
// infinite where a value is not a number.
double worstDifference(std::span<const float> actual, size_t stride, std::span<const double> expected,
                       size_t width, double scale);

}  // namespace orthros::kernels::test
