// Fills a DeviceModel: plans the buffers, repacks, uploads.
#pragma once

#include "engine/model/device_model.hpp"

namespace orthros::model {

// What a model's weights will take on a device, known before anything is loaded.
Result<uint64_t> plannedWeightBytes(const gguf::File& file, const ModelSpec& spec, const Adapter* adapter,
                                    WeightPrecision precision);

class WeightLoader {
 public:
  WeightLoader(DeviceModel& model, const gguf::File& file, const Adapter* adapter, WeightPrecision precision)
      : model_(model), file_(file), adapter_(adapter), precision_(precision) {}
  Status load(const ProgressCallback& progress, const CancelToken& cancel);

 private:
  Status loadLayer(uint32_t layer);
  Status loadEmbedding();
  Status loadOutput();

  DeviceModel& model_;
  const gguf::File& file_;
  const Adapter* adapter_;
  WeightPrecision precision_;
};

}  // namespace orthros::model
