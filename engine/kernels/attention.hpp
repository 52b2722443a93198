// Attention of query rows over the cache. Which keys a row reads comes from tables written by engine/phase;
// no kernel derives it. Shaders: attention_prefill_cpu.comp, attention_coop.comp and attention.comp for tiles
// of rows; attention_decode_cpu.comp, attention_decode.comp and attention.comp with SPLIT for few rows. What
// is split over the keys is joined by attention_merge.comp, or attention_merge_wide.comp where there are many
// parts.
//
// Few rows are stored in f32, many in KernelLibrary::manyRowsFormat; so are the queries, but kernels other
// than that of CPU devices read them in either format.
#pragma once

#include "engine/kernels/attention_variants.hpp"
#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"
#include "shaders/interface/attention.glsl"

namespace orthros::kernels {

struct AttentionJob {
  int32_t layer = -1;
  Activations q;  // [row][head][headSize], rotated, before the scale
  Activations y;  // the same shape
  uint32_t firstRow =
      0;  // in q and y; many rows: rounded down to a tile, the rows before it are computed again
  uint32_t rows = 0;
  KvLayer cache;
  RowTables tables;
  uint32_t intervals = 0;  // first entry of the layer's class in tables.rows
  uint32_t tiles = 0;      // and in tables.tiles
  HeadShape heads;
  float scale = 1.f;                   // multiplies Q.K
  uint64_t pairs = 0;                  // allowed (query, key) pairs of the rows
  uint64_t keysRead = 0;               // distinct keys that the rows read
  vulkan::Buffer* partials = nullptr;  // partialBytes(rows)
  vulkan::Buffer* arrivals = nullptr;  // arrivalBytes() of zeros, or null where that is 0
};

class Attention {
 public:
  static constexpr uint32_t fewRows = 8;  // up to this many rows take the split kernels

  Attention(std::shared_ptr<KernelLibrary> library, const HeadShape& heads, KvFormat kv);
  // Builds all pipelines. Error: unsupported for heads of more than 256 values.
  Status prepare();
  // Rows per tile of the tile table.
  uint32_t tileRows() const;
  // How the keys of many rows are cut.
  const cost::AttentionTiling& tiling() const { return prefill_.tiling; }
  // Workspace for the partial results of a batch of up to `rows` rows.
  uint64_t partialBytes(uint32_t rows) const;
  // Counters by which the workgroups of few rows find out which of them joins their results; they hold zeros
  // between jobs. 0 where a dispatch of its own does that.
  uint64_t arrivalBytes() const;
  bool mergesFewRows() const { return decode_.merges; }
  // Into how many parts the keys of a single row that reads `keys` of them are cut.
  uint32_t splitsOfRow(uint64_t keys) const;
  uint64_t flop(uint64_t pairs) const { return 4ull * heads_.heads * heads_.logicalHeadSize * pairs; }
  uint64_t keyBytes(uint64_t keys) const;  // of K and V
  Status record(Dispatcher& work, const AttentionJob& job);

 private:
  Result<std::shared_ptr<vulkan::Pipeline>> tilePipeline();
  Result<std::shared_ptr<vulkan::Pipeline>> splitPipeline();
  Result<std::shared_ptr<vulkan::Pipeline>> mergePipeline(uint32_t parts, ActivationFormat format);
  Status recordTiles(Dispatcher& work, const AttentionJob& job);
  Status recordSplit(Dispatcher& work, const AttentionJob& job);
  Status recordMerge(Dispatcher& work, const AttentionJob& job, uint32_t firstRow, uint32_t rows,
                     uint32_t parts);
  vulkan::DispatchLabel labelFor(const char* operation, const AttentionJob& job) const;

  std::shared_ptr<KernelLibrary> library_;
  HeadShape heads_;
  KvFormat kv_;
  AttentionVariant prefill_;
  AttentionVariant decode_;
};

}  // namespace orthros::kernels
