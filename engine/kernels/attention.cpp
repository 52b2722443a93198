#include "engine/kernels/attention.hpp"

#include <algorithm>
#include <numbers>
#include <span>
#include <thread>

#include "engine/base/checked.hpp"
#include "engine/kernels/qkv_target.hpp"

namespace orthros::kernels {
namespace {

using vulkan::Access;
using vulkan::Binding;
using vulkan::BindingKind;

// Head sizes that the CPU shaders are compiled for; others run the portable one.
constexpr uint32_t cpuHeadSizes[] = {64, 128};
constexpr uint32_t maxHeadSize = 256;
constexpr uint32_t cooperativeHeadSizes[] = {64, 80, 96, 128};
constexpr uint32_t cooperativeSubgroups = 8;  // at most, in a workgroup
constexpr uint32_t portableQueries = 16;  // queries per workgroup of attention.comp
constexpr uint32_t maxSplits = 64;

bool contains(std::span<const uint32_t> sizes, uint32_t headSize) {
  return std::find(sizes.begin(), sizes.end(), headSize) != sizes.end();
}

bool cpuCompiled(uint32_t headSize) { return contains(cpuHeadSizes, headSize); }

// The largest of 3, 2, 1 that divides the group: more heads share each key, at the price of registers.
uint32_t cpuFold(uint32_t group) { return group % 3 == 0 ? 3 : group % 2 == 0 ? 2 : 1; }

uint32_t largestDivisorUpTo(uint32_t value, uint32_t limit) {
  for (uint32_t d = std::min(value, limit); d > 1; --d)
    if (value % d == 0) return d;
  return 1;
}

// Keys per tile of attention.comp: shared memory is 32 KiB on the smallest devices.
uint32_t portableKeys(uint32_t headSize) { return headSize <= 128 ? 32 : 8; }

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

interface::AttentionPush pushFor(const AttentionJob& job, uint32_t firstRow, uint32_t firstTile, uint32_t splits) {
  interface::AttentionPush push{};
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

// As many heads of a group as share a workgroup, and as many blocks of 16 rows as fill it.
Attention::Variant Attention::cooperative(const HeadShape& heads) {
  const uint32_t group = heads.group();
  const uint32_t fold = group % 3 == 0 ? 3 : largestDivisorUpTo(group, 4);
  const uint32_t blocks = cooperativeSubgroups / fold;
  Variant variant;
  variant.shader = "attention_coop_head" + std::to_string(heads.headSize);
  variant.specialization = {32 * fold * blocks, fold, blocks};
  variant.fold = fold;
  variant.tileRows = 16 * blocks;
  variant.cooperative = true;
  return variant;
}

Attention::Variant Attention::choosePrefill(KernelLibrary& library, const HeadShape& heads, KvFormat kv) {
  const Flavour flavour = library.flavour();
  if (flavour == Flavour::cooperative && kv == KvFormat::f16 && contains(cooperativeHeadSizes, heads.headSize) &&
      library.hasFragmentLayout())
    return cooperative(heads);
  const std::string suffix = kvSuffix(kv) + std::string(outputSuffix(library.manyRowsFormat()));
  if (flavour == Flavour::cpuLanes8 && cpuCompiled(heads.headSize)) {
    const uint32_t fold = cpuFold(heads.group());
    const uint32_t blocks = fold == 1 ? 2 : 1;  // blocks of 8 rows
    return {"attention_prefill_cpu_head" + std::to_string(heads.headSize) + "_fold" + std::to_string(fold) + suffix,
            {}, fold, 8 * blocks, 1, false};
  }
  return {"attention" + suffix, {heads.headSize, 1, portableQueries, portableKeys(heads.headSize)}, 1, portableQueries, 1, false};
}

Attention::Variant Attention::chooseDecode(Flavour flavour, const HeadShape& heads, KvFormat kv) {
  const std::string suffix = kvSuffix(kv);
  if (flavour == Flavour::cpuLanes8 && cpuCompiled(heads.headSize)) {
    const uint32_t fold = cpuFold(heads.group());
    return {"attention_decode_cpu_head" + std::to_string(heads.headSize) + "_fold" + std::to_string(fold) + suffix,
            {}, fold, 1, 8, false};
  }
  const uint32_t fold = largestDivisorUpTo(heads.group(), portableQueries);
  return {"attention_split" + suffix, {heads.headSize, fold, 1, portableKeys(heads.headSize)}, fold, 1, 1, false};
}

Attention::Attention(std::shared_ptr<KernelLibrary> library, const HeadShape& heads, KvFormat kv)
    : library_(std::move(library)),
      heads_(heads),
      kv_(kv),
      prefill_(choosePrefill(*library_, heads, kv)),
      decode_(chooseDecode(library_->flavour(), heads, kv)) {}

uint32_t Attention::tileRows() const { return prefill_.tileRows; }

uint64_t Attention::partialBytes() const {
  return uint64_t{fewRows} * heads_.heads * maxSplits * decode_.lanes * (heads_.headSize + 4) * 4;
}

Result<std::shared_ptr<vulkan::Pipeline>> Attention::pipeline(const Variant& variant, bool split) {
  using enum BindingKind;
  if (variant.cooperative)
    return library_->cooperativePipeline(variant.shader, std::vector(5, storage), sizeof(interface::AttentionPush),
                                         variant.specialization);
  std::vector<BindingKind> kinds = {uniformTexel, uniformTexel, uniformTexel, storageTexel, uniformTexel};
  if (!split) kinds.push_back(uniformTexel);
  return library_->pipeline(variant.shader, kinds, sizeof(interface::AttentionPush), variant.specialization);
}

Status Attention::prepare() {
  if (heads_.headSize > maxHeadSize)
    return fail(ErrorCode::unsupported, "attention", "heads of " + std::to_string(heads_.headSize) + " values are too large",
                "Choose a model with heads of at most " + std::to_string(maxHeadSize) + " values");
  for (const bool split : {false, true}) {
    const auto made = pipeline(split ? decode_ : prefill_, split);
    if (!made) return fail(made.error());
  }
  return {};
}

vulkan::DispatchLabel Attention::labelFor(const char* operation, const AttentionJob& job) const {
  vulkan::DispatchLabel label;
  label.operation = operation;
  label.layer = job.layer;
  label.flop = 4ull * job.heads.heads * job.heads.logicalHeadSize * job.pairs;
  const uint64_t keyBytes = 2ull * job.heads.kvHeads * job.heads.logicalHeadSize * (kv_ == KvFormat::f32 ? 4 : 2);
  label.bytesRead = keyBytes * job.keysRead + rowBytes(job, job.q);
  label.bytesWritten = rowBytes(job, job.y);
  return label;
}

Status Attention::record(WorkQueue& queue, const AttentionJob& job) {
  if (job.rows == 0) return {};
  const bool few = job.rows <= fewRows;
  if (job.y.format != (few ? ActivationFormat::f32 : library_->manyRowsFormat()))
    return fail(ErrorCode::internal, "attention", "has rows of another format than its kernel takes");
  return few ? recordSplit(queue, job) : recordTiles(queue, job);
}

Status Attention::recordTiles(WorkQueue& queue, const AttentionJob& job) {
  ORTHROS_ASSIGN(const auto program, pipeline(prefill_, false));
  const uint32_t firstTile = job.firstRow / prefill_.tileRows;
  const uint32_t endTile = divideRoundingUp(job.firstRow + job.rows, prefill_.tileRows);
  const auto push = pushFor(job, firstTile * prefill_.tileRows, firstTile, 1);
  std::vector<Binding> bindings = {job.q.binding(Access::read), cacheBinding(job.cache.keys, kv_),
                                   cacheBinding(job.cache.values, kv_), job.y.binding(Access::write),
                                   RowTables::table(job.tables.rows)};
  if (!prefill_.cooperative) bindings.push_back(RowTables::table(job.tables.tiles));
  return queue.dispatch(*program, bindings, vulkan::pushBytes(push),
                        {endTile - firstTile, job.heads.heads / prefill_.fold, 1}, labelFor("attention", job));
}

// As many parts as keep the device busy, each with at least 64 keys to read.
uint32_t Attention::splitsFor(const AttentionJob& job) const {
  const uint64_t keysPerRow = job.pairs / job.rows;
  const auto useful = static_cast<uint32_t>(std::max<uint64_t>(1, keysPerRow / 64));
  if (library_->flavour() == Flavour::cpuLanes8)
    return std::min(useful, std::clamp(std::thread::hardware_concurrency(), 1u, maxSplits));
  const uint32_t workgroups = job.rows * job.heads.heads / decode_.fold;
  return std::min({useful, maxSplits, std::max(1u, 512 / workgroups)});
}

Status Attention::recordSplit(WorkQueue& queue, const AttentionJob& job) {
  ORTHROS_ASSIGN(const auto program, pipeline(decode_, true));
  const uint32_t splits = splitsFor(job);
  const auto push = pushFor(job, job.firstRow, 0, splits);
  const Binding bindings[] = {job.q.binding(Access::read), cacheBinding(job.cache.keys, kv_),
                              cacheBinding(job.cache.values, kv_), partialBinding(job.partials, Access::write),
                              RowTables::table(job.tables.rows)};
  const uint32_t headGroups = job.heads.heads / decode_.fold;
  // The portable shader takes (row, heads, split), the CPU shader (split, heads, row).
  const bool cpu = decode_.lanes > 1;
  const vulkan::WorkgroupCount groups =
      cpu ? vulkan::WorkgroupCount{splits, headGroups, job.rows} : vulkan::WorkgroupCount{job.rows, headGroups, splits};
  ORTHROS_TRY(queue.dispatch(*program, bindings, vulkan::pushBytes(push), groups, labelFor("decodeAttention", job)));
  return recordMerge(queue, job, splits * decode_.lanes);
}

Status Attention::recordMerge(WorkQueue& queue, const AttentionJob& job, uint32_t parts) {
  ORTHROS_ASSIGN(const auto program,
                 library_->pipeline("attention_merge", {BindingKind::uniformTexel, BindingKind::storageTexel},
                                    sizeof(interface::MergePush)));
  interface::MergePush push{};
  push.row = job.firstRow;
  push.heads = job.heads.heads;
  push.headSize = job.heads.headSize;
  push.parts = parts;
  const Binding bindings[] = {partialBinding(job.partials, Access::read), job.y.binding(Access::write)};
  vulkan::DispatchLabel label;
  label.operation = "merge";
  label.layer = job.layer;
  label.bytesRead = label.bytesWritten = rowBytes(job, job.y);
  return queue.dispatch(*program, bindings, vulkan::pushBytes(push), {job.heads.heads, job.rows, 1}, label);
}

}  // namespace orthros::kernels
