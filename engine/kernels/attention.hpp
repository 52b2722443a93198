// Attention of query rows over the cache. Which keys a row reads comes from tables written by engine/phase; no kernel
// derives it. Shaders: attention_prefill_cpu.comp, attention_coop.comp and attention.comp for tiles of rows;
// attention_decode_cpu.comp and attention.comp with SPLIT for few rows, joined by attention_merge.comp.
//
// Few rows are stored in f32, many in KernelLibrary::manyRowsFormat; so are the queries, but kernels other than that of
// CPU devices read them in either format.
#pragma once

#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"
#include "engine/kernels/work_queue.hpp"
#include "shaders/interface/attention.glsl"

namespace orthros::kernels {

struct AttentionJob {
  int32_t layer = -1;
  Activations q;        // [row][head][headSize], rotated, before the scale
  Activations y;        // the same shape
  uint32_t firstRow = 0;  // in q and y; many rows: rounded down to a tile, the rows before it are computed again
  uint32_t rows = 0;
  KvLayer cache;
  RowTables tables;
  uint32_t intervals = 0;    // first entry of the layer's class in tables.rows
  uint32_t tiles = 0;        // and in tables.tiles
  HeadShape heads;
  float scale = 1.f;         // multiplies Q.K
  uint64_t pairs = 0;        // allowed (query, key) pairs of the rows
  uint64_t keysRead = 0;     // distinct keys that the rows read
  vulkan::Buffer* partials = nullptr;  // partialBytes(); few rows only
};

class Attention {
 public:
  static constexpr uint32_t fewRows = 8;  // up to this many rows take the split kernels

  Attention(std::shared_ptr<KernelLibrary> library, const HeadShape& heads, KvFormat kv);
  // Builds all pipelines. Error: unsupported for heads of more than 256 values.
  Status prepare();
  // Rows per tile of the tile table.
  uint32_t tileRows() const;
  // Workspace for the partial results of `fewRows` rows.
  uint64_t partialBytes() const;
  Status record(WorkQueue& queue, const AttentionJob& job);

 private:
  // A row of the variant table.
  struct Variant {
    std::string shader;
    std::vector<uint32_t> specialization;
    uint32_t fold = 1;      // query heads of one KV head per workgroup
    uint32_t tileRows = 1;
    uint32_t lanes = 1;     // partial results per split
    bool cooperative = false;
  };
  static Variant choosePrefill(KernelLibrary& library, const HeadShape& heads, KvFormat kv);
  static Variant chooseDecode(Flavour flavour, const HeadShape& heads, KvFormat kv);
  static Variant cooperative(const HeadShape& heads);
  Result<std::shared_ptr<vulkan::Pipeline>> pipeline(const Variant& variant, bool split);
  Status recordTiles(WorkQueue& queue, const AttentionJob& job);
  Status recordSplit(WorkQueue& queue, const AttentionJob& job);
  Status recordMerge(WorkQueue& queue, const AttentionJob& job, uint32_t parts);
  uint32_t splitsFor(const AttentionJob& job) const;
  vulkan::DispatchLabel labelFor(const char* operation, const AttentionJob& job) const;

  std::shared_ptr<KernelLibrary> library_;
  HeadShape heads_;
  KvFormat kv_;
  Variant prefill_;
  Variant decode_;
};

}  // namespace orthros::kernels
