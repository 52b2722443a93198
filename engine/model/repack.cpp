#include "engine/model/repack.hpp"

#include <vector>

#include "engine/base/parallel.hpp"
#include "engine/kernels/packing.hpp"
#include "engine/model/group_transcoding.hpp"

namespace orthros::model {
namespace {

using kernels::DeviceFormat;

bool isFourBit(gguf::Format format) {
  return format == gguf::Format::q4_0 || format == gguf::Format::q4_1 || format == gguf::Format::q4_k;
}

bool isFloat(gguf::Format format) {
  return format == gguf::Format::f32 || format == gguf::Format::f16 || format == gguf::Format::bf16;
}

std::span<const std::byte> tensorRow(const gguf::Tensor& tensor, uint32_t row) {
  const size_t bytes = tensor.data.size() / (tensor.elements / tensor.shape[0]);
  return tensor.data.subspan(row * bytes, bytes);
}

// One panel: 32 neighbouring columns.
class PanelRepacker {
 public:
  PanelRepacker(const MatrixSource& source, DeviceFormat format, const Adapter* adapter,
                const kernels::PanelWriter& writer)
      : source_(source), format_(format), adapter_(adapter), writer_(writer) {}

  void put(uint32_t column, const MatrixSource::Column& from) {
    const GroupReader exact = exactReader(*from.tensor);
    if (exact) {
      const std::byte* row = tensorRow(*from.tensor, from.row).data();
      for (uint32_t group = 0; group < source_.logicalInner / SCALE_GROUP; ++group)
        writer_.putGroup(column, group, exact(row, group));
      return;
    }
    values_.resize(from.tensor->shape[0]);
    gguf::dequantize(from.tensor->format, tensorRow(*from.tensor, from.row), values_);
    if (adapter_) adapter_->mergeRows(from.tensor->name, from.row, 1, values_);
    writer_.putColumn(column, arranged());
  }

 private:
  GroupReader exactReader(const gguf::Tensor& tensor) const {
    if (!source_.inputs.empty() || source_.logicalInner % SCALE_GROUP != 0) return nullptr;
    if (adapter_ && adapter_->changes(tensor.name)) return nullptr;
    return exactGroupReader(tensor.format, format_);
  }

  std::span<const float> arranged() {
    if (source_.inputs.empty()) return values_;
    arranged_.resize(source_.inputs.size());
    for (size_t i = 0; i < arranged_.size(); ++i)
      arranged_[i] = source_.inputs[i] == MatrixSource::noInput ? 0.f : values_[source_.inputs[i]];
    return arranged_;
  }

  const MatrixSource& source_;
  DeviceFormat format_;
  const Adapter* adapter_;
  kernels::PanelWriter writer_;
  std::vector<float> values_, arranged_;
};

}  // namespace

DeviceFormat deviceFormatFor(const MatrixSource& source, WeightPrecision precision, const Adapter* adapter) {
  if (precision == WeightPrecision::f32) return DeviceFormat::f32;
  if (precision == WeightPrecision::f16) return DeviceFormat::f16;
  bool fourBit = true, floats = true, changed = false;
  for (const MatrixSource::Column& column : source.columns) {
    if (!column.tensor) continue;
    fourBit = fourBit && isFourBit(column.tensor->format);
    floats = floats && isFloat(column.tensor->format);
    changed = changed || (adapter && adapter->changes(column.tensor->name));
  }
  if (floats) return DeviceFormat::f16;
  return fourBit && !changed ? DeviceFormat::q4 : DeviceFormat::q8;
}

void repack(const MatrixSource& source, DeviceFormat format, const Adapter* adapter,
            std::span<std::byte> weights, std::span<std::byte> scales) {
  const size_t panels = source.columns.size() / PANEL_COLUMNS;
  const size_t panelWeights = weights.size() / panels, panelScales = scales.size() / panels;
  parallelFor(panels, [&](size_t panel) {
    const kernels::PanelWriter writer(format, source.inner,
                                      weights.subspan(panel * panelWeights, panelWeights),
                                      scales.subspan(panel * panelScales, panelScales));
    PanelRepacker repacker(source, format, adapter, writer);
    for (uint32_t column = 0; column < PANEL_COLUMNS; ++column) {
      const MatrixSource::Column& from = source.columns[panel * PANEL_COLUMNS + column];
      if (from.tensor) repacker.put(column, from);
    }
  });
}

}  // namespace orthros::model
