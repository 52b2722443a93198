#include "engine/kernels/attention_variants.hpp"

#include <algorithm>
#include <span>
#include <thread>

#include "engine/kernels/qkv_target.hpp"

namespace orthros::kernels {
namespace {

// Head sizes that shaders are compiled for; others run the portable one.
constexpr uint32_t cpuHeadSizes[] = {64, 128};
constexpr uint32_t matrixHeadSizes[] = {64, 80, 96, 128};
constexpr uint32_t decodeHeadSizes[] = {64, 80, 96, 128, 256};
constexpr uint32_t portableQueries = 16;  // queries per workgroup of attention.comp

// Invocations that read a key in attention_decode.comp, eight values each.
uint32_t lanesOfKey(uint32_t headSize) {
  return headSize <= 64 ? 8 : headSize <= 128 ? 16 : 32;
}

bool contains(std::span<const uint32_t> sizes, uint32_t headSize) {
  return std::find(sizes.begin(), sizes.end(), headSize) != sizes.end();
}

uint32_t largestDivisorUpTo(uint32_t value, uint32_t limit) {
  for (uint32_t d = std::min(value, limit); d > 1; --d)
    if (value % d == 0) return d;
  return 1;
}

// Heads of a group that share a workgroup, and each key it reads, at the price of registers.
uint32_t cpuFold(uint32_t group) {
  return group % 3 == 0 ? 3 : largestDivisorUpTo(group, 2);
}
uint32_t subgroupFold(uint32_t group) {
  return group % 3 == 0 ? 3 : largestDivisorUpTo(group, 4);
}

// Keys per tile of attention.comp: shared memory is 32 KiB on the smallest devices.
uint32_t portableKeys(uint32_t headSize) {
  return headSize <= 128 ? 32 : 8;
}

bool runsOnCpuLanes(const KernelLibrary& library, const HeadShape& heads) {
  return library.flavour() == Flavour::cpuLanes8 && contains(cpuHeadSizes, heads.headSize);
}

bool runsOnMatrices(const KernelLibrary& library, const HeadShape& heads, KvFormat kv) {
  return library.flavour() == Flavour::cooperative && kv != KvFormat::f32 &&
         contains(matrixHeadSizes, heads.headSize);
}

bool decodesOnSubgroups(const KernelLibrary& library, const HeadShape& heads, KvFormat kv) {
  return library.usesSubgroups() && kv != KvFormat::f32 && contains(decodeHeadSizes, heads.headSize) &&
         lanesOfKey(heads.headSize) <= library.subgroup();
}

std::string compiledName(const char* shader, const HeadShape& heads, uint32_t fold) {
  return std::string(shader) + "_head" + std::to_string(heads.headSize) + "_fold" + std::to_string(fold);
}

// As many blocks of 16 rows as fill a workgroup of eight subgroups. Keys are split where the rows are too few
// to give a large device several rounds of workgroups.
AttentionVariant matrixPrefill(const HeadShape& heads, KvFormat kv) {
  const uint32_t fold = subgroupFold(heads.group()), blocks = 8 / fold;
  AttentionVariant variant{.shader = "attention_coop_head" + std::to_string(heads.headSize) + kvSuffix(kv)};
  variant.specialization = {32 * fold * blocks, fold, blocks};
  variant.fold = fold;
  variant.tileRows = 16 * blocks;
  variant.subgroups = true;
  variant.tiling = {variant.tileRows, fold, 1536, 2048, 64};
  return variant;
}

AttentionVariant subgroupDecode(const KernelLibrary& library, const HeadShape& heads, KvFormat kv) {
  const uint32_t fold = subgroupFold(heads.group());
  AttentionVariant variant{.shader = compiledName("attention_decode", heads, fold) + kvSuffix(kv)};
  // Registers of four heads leave room for one workgroup of eight subgroups on a processor.
  const uint32_t subgroups = fold == 4 ? 4 : 8;
  variant.specialization = {subgroups * library.subgroup(), library.subgroup()};
  variant.fold = fold;
  variant.subgroups = variant.merges = true;
  variant.tiling = {1, fold, 384, 256, 128};
  return variant;
}

AttentionVariant cpuPrefill(const HeadShape& heads, KvFormat kv) {
  const uint32_t fold = cpuFold(heads.group());
  AttentionVariant variant{.shader = compiledName("attention_prefill_cpu", heads, fold) + kvSuffix(kv)};
  variant.fold = fold;
  variant.tileRows = fold == 1 ? 16 : 8;
  return variant;
}

// A part of the keys for each processor, whatever the number of rows and heads.
AttentionVariant cpuDecode(const HeadShape& heads, KvFormat kv) {
  const uint32_t fold = cpuFold(heads.group());
  AttentionVariant variant{.shader = compiledName("attention_decode_cpu", heads, fold) + kvSuffix(kv)};
  variant.fold = fold;
  variant.lanes = 8;
  variant.tiling = {1, fold, ~0u, 64, std::clamp(std::thread::hardware_concurrency(), 1u, 64u)};
  return variant;
}

}  // namespace

AttentionVariant prefillVariant(KernelLibrary& library, const HeadShape& heads, KvFormat kv) {
  if (runsOnMatrices(library, heads, kv) && library.hasFragmentLayout()) return matrixPrefill(heads, kv);
  if (runsOnCpuLanes(library, heads)) return cpuPrefill(heads, kv);
  AttentionVariant variant{.shader = std::string("attention") + kvSuffix(kv) +
                                     outputSuffix(library.manyRowsFormat())};
  variant.specialization = {heads.headSize, 1, portableQueries, portableKeys(heads.headSize)};
  variant.tileRows = portableQueries;
  return variant;
}

AttentionVariant decodeVariant(KernelLibrary& library, const HeadShape& heads, KvFormat kv) {
  if (decodesOnSubgroups(library, heads, kv)) return subgroupDecode(library, heads, kv);
  if (runsOnCpuLanes(library, heads)) return cpuDecode(heads, kv);
  const uint32_t fold = largestDivisorUpTo(heads.group(), portableQueries);
  AttentionVariant variant{.shader = std::string("attention_split") + kvSuffix(kv)};
  variant.specialization = {heads.headSize, fold, 1, portableKeys(heads.headSize)};
  variant.fold = fold;
  variant.tiling = {1, fold, 512, 64, 64};
  return variant;
}

}  // namespace orthros::kernels
