#include "engine/kernels/attention.hpp"

#include <algorithm>
#include <numbers>

#include "engine/base/checked.hpp"

namespace orthros::kernels {
namespace {

using vulkan::Access;
using vulkan::Binding;
using vulkan::BindingKind;

constexpr uint32_t manyParts = 8;  // from here on attention_merge_wide.comp joins them

// Of the queries or the results.
uint64_t rowBytes(const AttentionJob& job, const Activations& rows) {
  return rows.valueBytes() * job.rows * job.heads.heads * job.heads.logicalHeadSize;
}

VkFormat kvView(KvFormat kv) {
  return kv == KvFormat::f32 ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_R32G32B32A32_UINT;
}

Binding cacheBinding(vulkan::Buffer* buffer, KvFormat kv) {
  return {buffer, 0, vulkan::wholeRange, kvView(kv), Access::read};
}

Binding partialBinding(vulkan::Buffer* buffer, Access access) {
  return {buffer, 0, vulkan::wholeRange, VK_FORMAT_R32G32B32A32_SFLOAT, access};
}

interface::AttentionPush pushFor(const AttentionJob& job, uint32_t firstRow, uint32_t firstTile,
                                 uint32_t splits) {
  interface::AttentionPush push {};
  push.row = firstRow;
  push.heads = job.heads.heads;
  push.group = job.heads.group();
  push.capacity = job.cache.capacity;
  push.intervals = job.intervals;
  push.tiles = job.tiles + firstTile;
  push.scale = job.scale * std::numbers::log2e_v<float>;
  push.splits = splits;
  return push;
}

}  // namespace

Attention::Attention(std::shared_ptr<KernelLibrary> library, const HeadShape& heads, KvFormat kv)
    : library_(std::move(library)),
      heads_(heads),
      kv_(kv),
      prefill_(prefillVariant(*library_, heads, kv)),
      decode_(decodeVariant(*library_, heads, kv)) {}

uint32_t Attention::tileRows() const {
  return prefill_.tileRows;
}

uint32_t Attention::splitsOfRow(uint64_t keys) const {
  return cost::attentionSplits(decode_.tiling, 1, heads_.heads, keys);
}

uint64_t Attention::keyBytes(uint64_t keys) const {
  return 2ull * heads_.kvHeads * kvHeadRowBytes(kv_, heads_.logicalHeadSize) * keys;
}

uint64_t Attention::arrivalBytes() const {
  return decode_.merges ? uint64_t{fewRows} * heads_.heads / decode_.fold * 4 : 0;
}

uint64_t Attention::partialBytes(uint32_t rows) const {
  constexpr uint64_t manyKeys = uint64_t{1} << 40;
  const uint64_t partial = uint64_t{heads_.heads} * (heads_.headSize + 4) * 4;  // of a row
  uint64_t most = partial * std::min(rows, fewRows) * decode_.lanes * splitsOfRow(manyKeys);
  const uint32_t tileRows = tiling().tileRows;
  // A job may begin within a tile and then takes one more.
  for (uint32_t some = tileRows; tileRows > 0 && some <= roundUp(rows, tileRows); some += tileRows)
    most = std::max(
        most, partial * (some + tileRows) * cost::attentionSplits(tiling(), some, heads_.heads, manyKeys));
  return most;
}

Result<std::shared_ptr<vulkan::Pipeline>> Attention::tilePipeline() {
  using enum BindingKind;
  constexpr uint32_t pushBytes = sizeof(interface::AttentionPush);
  if (prefill_.subgroups)
    return library_->subgroupPipeline(prefill_.shader, std::vector(6, storage), pushBytes,
                                      prefill_.specialization);
  return library_->pipeline(
      prefill_.shader, {uniformTexel, uniformTexel, uniformTexel, storageTexel, uniformTexel, uniformTexel},
      pushBytes, prefill_.specialization);
}

Result<std::shared_ptr<vulkan::Pipeline>> Attention::splitPipeline() {
  using enum BindingKind;
  constexpr uint32_t pushBytes = sizeof(interface::AttentionPush);
  if (decode_.subgroups)
    return library_->subgroupPipeline(decode_.shader,
                                      {uniformTexel, storage, storage, storage, storage, storage, storage},
                                      pushBytes, decode_.specialization);
  return library_->pipeline(decode_.shader,
                            {uniformTexel, uniformTexel, uniformTexel, storageTexel, uniformTexel}, pushBytes,
                            decode_.specialization);
}

Result<std::shared_ptr<vulkan::Pipeline>> Attention::mergePipeline(uint32_t parts, ActivationFormat format) {
  const bool wide = library_->usesSubgroups() && parts >= manyParts;
  return library_->pipeline(
      std::string(wide ? "attention_merge_wide" : "attention_merge") + outputSuffix(format),
      {BindingKind::uniformTexel, BindingKind::storageTexel}, sizeof(interface::MergePush));
}

Status Attention::prepare() {
  if (heads_.headSize > maxHeadSize)
    return fail(ErrorCode::unsupported, "attention",
                "heads of " + std::to_string(heads_.headSize) + " values are too large",
                "Choose a model with heads of at most " + std::to_string(maxHeadSize) + " values");
  for (const auto& made : {tilePipeline(), splitPipeline(), mergePipeline(1, ActivationFormat::f32),
                           mergePipeline(manyParts, ActivationFormat::f32)})
    if (!made) return fail(made.error());
  if (tiling().tileRows == 0) return {};
  for (const uint32_t parts : {2u, manyParts}) {
    const auto made = mergePipeline(parts, library_->manyRowsFormat());
    if (!made) return fail(made.error());
  }
  return {};
}

vulkan::DispatchLabel Attention::labelFor(const char* operation, const AttentionJob& job) const {
  vulkan::DispatchLabel label;
  label.operation = operation;
  label.layer = job.layer;
  label.flop = flop(job.pairs);
  label.bytesRead = keyBytes(job.keysRead) + rowBytes(job, job.q);
  label.bytesWritten = rowBytes(job, job.y);
  return label;
}

Status Attention::record(Dispatcher& work, const AttentionJob& job) {
  if (job.rows == 0) return {};
  const bool few = job.rows <= fewRows;
  if (job.y.format != (few ? ActivationFormat::f32 : library_->manyRowsFormat()))
    return fail(ErrorCode::internal, "attention", "has rows of another format than its kernel takes");
  return few ? recordSplit(work, job) : recordTiles(work, job);
}

Status Attention::recordTiles(Dispatcher& work, const AttentionJob& job) {
  ORTHROS_ASSIGN(const auto program, tilePipeline());
  const uint32_t firstTile = job.firstRow / prefill_.tileRows;
  const uint32_t endTile = divideRoundingUp(job.firstRow + job.rows, prefill_.tileRows);
  const uint32_t firstRow = firstTile * prefill_.tileRows;
  const uint32_t splits = cost::attentionSplits(tiling(), job.rows, job.heads.heads, job.pairs / job.rows);
  const auto push = pushFor(job, firstRow, firstTile, splits);
  std::vector<Binding> bindings = {job.q.binding(Access::read), cacheBinding(job.cache.keys, kv_),
                                   cacheBinding(job.cache.values, kv_), job.y.binding(Access::write),
                                   RowTables::table(job.tables.rows)};
  bindings.push_back(prefill_.subgroups
                         ? partialBinding(job.partials, splits > 1 ? Access::write : Access::read)
                         : RowTables::table(job.tables.tiles));
  ORTHROS_TRY(work.dispatch(*program, bindings, vulkan::pushBytes(push),
                            {endTile - firstTile, job.heads.heads / prefill_.fold, splits},
                            labelFor("attention", job)));
  if (splits == 1) return {};
  return recordMerge(work, job, firstRow, job.firstRow + job.rows - firstRow, splits);
}

Status Attention::recordSplit(Dispatcher& work, const AttentionJob& job) {
  ORTHROS_ASSIGN(const auto program, splitPipeline());
  // Cut as each row would be on its own: a row's result does not depend on the rows beside it.
  const uint32_t splits = splitsOfRow(job.pairs / job.rows);
  const auto push = pushFor(job, job.firstRow, 0, splits);
  const Access partialAccess = decode_.merges ? Access::readWrite : Access::write;
  std::vector<Binding> bindings = {
      job.q.binding(Access::read), cacheBinding(job.cache.keys, kv_), cacheBinding(job.cache.values, kv_),
      partialBinding(job.partials, partialAccess), RowTables::table(job.tables.rows)};
  if (decode_.merges) {
    bindings.push_back(job.y.binding(Access::write));
    bindings.push_back({job.arrivals, 0, vulkan::wholeRange, VK_FORMAT_UNDEFINED, Access::readWrite});
  }
  const uint32_t headGroups = job.heads.heads / decode_.fold;
  // The portable shader takes (row, heads, split), the CPU shader (split, heads, row).
  const bool cpu = decode_.lanes > 1;
  const vulkan::WorkgroupCount groups = cpu ? vulkan::WorkgroupCount{splits, headGroups, job.rows}
                                            : vulkan::WorkgroupCount{job.rows, headGroups, splits};
  vulkan::DispatchLabel label = labelFor("decodeAttention", job);
  label.joinsZ = decode_.merges;
  ORTHROS_TRY(work.dispatch(*program, bindings, vulkan::pushBytes(push), groups, label));
  if (decode_.merges) return {};
  return recordMerge(work, job, job.firstRow, job.rows, splits * decode_.lanes);
}

Status Attention::recordMerge(Dispatcher& work, const AttentionJob& job, uint32_t firstRow, uint32_t rows,
                              uint32_t parts) {
  ORTHROS_ASSIGN(const auto program, mergePipeline(parts, job.y.format));
  interface::MergePush push {};
  push.row = firstRow;
  push.heads = job.heads.heads;
  push.headSize = job.heads.headSize;
  push.parts = parts;
  const Binding bindings[] = {partialBinding(job.partials, Access::read), job.y.binding(Access::write)};
  vulkan::DispatchLabel label;
  label.operation = "merge";
  label.layer = job.layer;
  label.bytesRead = label.bytesWritten = rowBytes(job, job.y);
  return work.dispatch(*program, bindings, vulkan::pushBytes(push), {job.heads.heads, rows, 1}, label);
}

}  // namespace orthros::kernels
