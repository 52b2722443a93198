#include "tests/kernels/kernel_fixture.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"
#include "engine/gguf/half.hpp"
#include "tests/support/kernel_flavours.hpp"

namespace orthros::kernels::test {

TestDevice& TestDevice::get() {
  static TestDevice device;
  return device;
}

TestDevice::TestDevice() {
  vulkan::InstanceOptions options;
  options.validation = true;
  instance_ = must(vulkan::Instance::create(options));
  const auto info = must(vulkan::chooseDevice(must(instance_->devices()), ""));
  device_ = must(vulkan::Device::open(instance_, info));
  queue_ = must(WorkQueue::create(*device_));
}

std::vector<Flavour> TestDevice::flavours() const {
  return orthros::test::kernelFlavours(device_->info());
}

std::shared_ptr<KernelLibrary> TestDevice::library(Flavour flavour) {
  auto& library = libraries_[flavour];
  if (!library) library = KernelLibrary::create(*device_, flavour);
  return library;
}

void KernelTest::TearDown() {
  ASSERT_TRUE(queue().finish());
  queue().takeReport();
  static size_t known = 0;
  const auto messages = TestDevice::get().instance().validationMessages();
  for (; known < messages.size(); ++known) ADD_FAILURE() << messages[known].text;
}

std::shared_ptr<vulkan::Buffer> KernelTest::bufferOf(std::span<const std::byte> bytes) {
  vulkan::BufferDescription description;
  description.name = "test";
  description.bytes = bytes.size();
  auto buffer = must(vulkan::Buffer::create(device(), description));
  must(vulkan::Transfer(device()).upload(*buffer, 0, bytes));
  buffers_.push_back(buffer);
  return buffer;
}

std::shared_ptr<vulkan::Buffer> KernelTest::scratch(size_t count) {
  return bufferOf(std::vector<float>(count, std::numeric_limits<float>::quiet_NaN()));
}

std::vector<float> KernelTest::floatsOf(vulkan::Buffer& buffer, size_t count) {
  std::vector<float> values(count);
  must(vulkan::Transfer(device()).download(buffer, 0, std::as_writable_bytes(std::span(values))));
  return values;
}

Activations KernelTest::activations(const std::vector<float>& values, uint32_t width, uint32_t stride,
                                    ActivationFormat format) {
  const size_t rows = values.size() / width;
  std::vector<float> padded((roundUp<size_t>(rows, ROW_PADDING) + ROW_PADDING) * stride,
                            std::numeric_limits<float>::quiet_NaN());
  for (size_t row = 0; row < rows; ++row)
    for (size_t i = 0; i < stride; ++i) padded[row * stride + i] = i < width ? values[row * width + i] : 0.f;
  if (format == ActivationFormat::f32) return {bufferOf(padded).get(), stride, format};
  std::vector<uint16_t> halves(padded.size());
  std::transform(padded.begin(), padded.end(), halves.begin(), gguf::floatToHalf);
  return {bufferOf(halves).get(), stride, format};
}

std::vector<float> KernelTest::valuesOf(const Activations& activations, uint32_t rows) {
  const size_t count = size_t{rows} * activations.stride;
  if (activations.format == ActivationFormat::f32) return floatsOf(*activations.buffer, count);
  std::vector<uint16_t> halves(count);
  must(
      vulkan::Transfer(device()).download(*activations.buffer, 0, std::as_writable_bytes(std::span(halves))));
  std::vector<float> values(count);
  std::transform(halves.begin(), halves.end(), values.begin(), gguf::halfToFloat);
  return values;
}

std::vector<float> asStored(std::vector<float> values, ActivationFormat format) {
  if (format == ActivationFormat::f16)
    for (float& value : values) value = gguf::halfToFloat(gguf::floatToHalf(value));
  return values;
}

Activations KernelTest::scratchActivations(uint32_t rows, uint32_t stride) {
  return {scratch(size_t{roundUp(rows, uint32_t{ROW_PADDING}) + ROW_PADDING} * stride).get(), stride};
}

Matrix KernelTest::matrix(DeviceFormat format, const std::vector<float>& weights, uint32_t columns,
                          uint32_t inner, std::vector<float>& stored) {
  Matrix matrix;
  matrix.format = format;
  matrix.logicalColumns = columns;
  matrix.logicalInner = inner;
  matrix.columns = roundUp(columns, 32u);
  matrix.inner = roundUp(inner, 32u);
  const uint64_t weightSize = weightBytes(format, matrix.columns, matrix.inner);
  const uint64_t scaleSize = scaleBytes(format, matrix.columns, matrix.inner);
  matrix.scalesOffset = roundUp<uint64_t>(weightSize, 256);
  std::vector<std::byte> bytes(matrix.scalesOffset + scaleSize);
  stored.assign(weights.size(), 0.f);
  const uint64_t panelWeights = weightBytes(format, 32, matrix.inner),
                 panelScales = scaleBytes(format, 32, matrix.inner);
  for (uint32_t column = 0; column < columns; ++column) {
    const auto panel = column / 32;
    const PanelWriter writer(
        format, matrix.inner, std::span(bytes).subspan(panel * panelWeights, panelWeights),
        std::span(bytes).subspan(matrix.scalesOffset + panel * panelScales, panelScales));
    writer.putColumn(column % 32, std::span(weights).subspan(size_t{column} * inner, inner));
    writer.readColumn(column % 32, std::span(stored).subspan(size_t{column} * inner, inner));
  }
  matrix.buffer = bufferOf(bytes).get();
  return matrix;
}

std::vector<float> KernelTest::gaussian(size_t count, float deviation) {
  std::normal_distribution<float> normal(0.f, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random_);
  return values;
}

double worstDifference(std::span<const float> actual, size_t stride, std::span<const double> expected,
                       size_t width, double scale) {
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(actual[i / width * stride + i % width] - expected[i]) / scale;
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
  }
  return worst;
}

}  // namespace orthros::kernels::test
