#include "engine/kernels/projection.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/checked.hpp"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::Binding;
using vulkan::BindingKind;

// One row of the variant table: a shader and how its dispatch covers the product.
struct Projection::Variant {
  std::string shader;
  uint32_t tileColumns = 0;
  uint32_t tileRows = 0;  // 0: all rows of the job in one workgroup
  bool norm = false;
  Epilogue epilogue = Epilogue::store;
  VkFormat weightView = VK_FORMAT_R32G32B32A32_UINT;
  bool subgroups = false;      // counts on whole subgroups and takes storage buffers
  bool rowTilesFirst = false;  // row tiles are on the first axis of the dispatch
  std::vector<uint32_t> specialization = {};
  ActivationFormat x = ActivationFormat::f32, y = ActivationFormat::f32;
};

namespace {

constexpr const char* formatSuffix[] = {"f32", "f16", "q8", "q4"};
constexpr const char* epilogueSuffix[] = {"store", "residual", "swiglu", "qkv"};
// Inputs in 16 bytes of weights.
constexpr uint32_t chunkInputs[] = {4, 8, 16, 32};

// matvec_subgroup.comp: lanes of a panel (four columns each) per workgroup, as many as leave workgroups for a
// large device, and at most this many invocations.
constexpr uint32_t panelLanes[] = {8, 4, 2};
constexpr uint32_t fewWorkgroups = 192, matvecThreads = 256, matvecThreadsOfFourLanes = 512;

std::string rowsSuffix(uint32_t rows) {
  for (const uint32_t candidate : Projection::compiledRows)
    if (rows <= candidate) return "_rows" + std::to_string(candidate);
  return {};
}

std::string variantName(DeviceFormat format, Epilogue epilogue) {
  return std::string(formatSuffix[static_cast<uint32_t>(format)]) + "_" +
         epilogueSuffix[static_cast<uint32_t>(epilogue)];
}

// The matrix product of CPU devices reads the weights of one iteration, 8 k, per texel.
VkFormat weightView(DeviceFormat format, bool cpuMatmul) {
  if (format == DeviceFormat::f32) return VK_FORMAT_R32G32B32A32_SFLOAT;
  if (!cpuMatmul || format == DeviceFormat::f16) return VK_FORMAT_R32G32B32A32_UINT;
  return format == DeviceFormat::q8 ? VK_FORMAT_R32G32_UINT : VK_FORMAT_R32_UINT;
}

VkFormat scaleView(DeviceFormat format) {
  return format == DeviceFormat::q4 ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32G32B32A32_SFLOAT;
}

bool fusesNorm(Epilogue epilogue) {
  return epilogue != Epilogue::residual;
}

interface::ProjectionPush pushFor(const ProjectionJob& job) {
  interface::ProjectionPush push {};
  push.rows = job.rows;
  push.columns = job.matrix.columns;
  push.inner = job.matrix.inner;
  push.xRow = job.xRow;
  push.yRow = job.yRow;
  if (job.norm) {
    push.width = job.norm->width;
    push.epsilon = job.norm->epsilon;
  }
  if (job.qkv) job.qkv->fill(push);
  return push;
}

// What the product writes after its epilogue.
uint64_t resultBytes(const ProjectionJob& job) {
  const uint64_t columnBytes = job.y.valueBytes() * job.rows;
  if (job.qkv) {
    const HeadShape& heads = job.qkv->heads;
    return columnBytes * heads.heads * heads.logicalHeadSize + job.qkv->cacheBytes(job.rows);
  }
  const uint64_t columns = job.matrix.logicalColumns;
  return columnBytes * (job.epilogue == Epilogue::swiglu ? columns / 2 : columns);
}

vulkan::DispatchLabel labelFor(const ProjectionJob& job) {
  const Matrix& matrix = job.matrix;
  vulkan::DispatchLabel label;
  label.operation = job.operation;
  label.layer = job.layer;
  label.flop = 2ull * job.rows * matrix.logicalColumns * matrix.logicalInner;
  label.bytesWritten = resultBytes(job);
  label.bytesRead = matrix.bytes() + job.x.valueBytes() * job.rows * matrix.logicalInner;
  if (job.norm) label.bytesRead += 4ull * job.norm->width;
  if (job.epilogue == Epilogue::residual) label.bytesRead += label.bytesWritten;
  return label;
}

// matvec_subgroup.comp: threads, subgroup, lanes. An invocation for every chunk of the inputs, or for every
// second and so on.
std::vector<uint32_t> subgroupSpecialization(const Matrix& matrix, const KernelLibrary& library) {
  uint32_t lanes = 0;
  for (const uint32_t candidate : panelLanes) {
    lanes = candidate;
    if (matrix.columns / (4 * lanes) >= fewWorkgroups) break;
  }
  const uint32_t chunks = matrix.inner / chunkInputs[static_cast<uint32_t>(matrix.format)];
  const uint32_t most = std::min(lanes == 4 ? matvecThreadsOfFourLanes : matvecThreads,
                                 library.device().info().limits.maxComputeWorkGroupInvocations);
  const uint32_t rounds = divideRoundingUp(chunks * lanes, most);
  // Room for the epilogue of the most rows, also where there is one: its sums are formed in the same order.
  const uint32_t threads = std::max(divideRoundingUp(chunks * lanes, rounds), Projection::fewRows * lanes);
  return {roundUp(threads, library.subgroup()), library.subgroup(), lanes};
}

std::vector<BindingKind> storageBindings(Epilogue epilogue, bool norm) {
  return std::vector(norm ? 9 : epilogue == Epilogue::qkv ? 8 : 4, BindingKind::storage);
}

std::vector<BindingKind> texelBindings(Epilogue epilogue, bool norm) {
  using enum BindingKind;
  std::vector<BindingKind> kinds = {uniformTexel, uniformTexel, uniformTexel, storageTexel};
  if (epilogue == Epilogue::qkv)
    kinds.insert(kinds.end(), {storageTexel, storageTexel, uniformTexel, uniformTexel});
  if (norm) {
    // The gain has a fixed place; shaders without a cache leave the four before it unused.
    while (kinds.size() < 8) kinds.push_back(uniformTexel);
    kinds.push_back(uniformTexel);
  }
  return kinds;
}

}  // namespace

Projection::Variant Projection::choose(const Matrix& matrix, Epilogue epilogue, KvFormat kv,
                                       uint32_t rows) const {
  if (rows > fewRows) return chooseMany(matrix, epilogue, rows);
  if (library_->usesSubgroups() && kv == KvFormat::f16) return chooseSubgroups(matrix, epilogue, rows);
  return chooseFew(matrix.format, epilogue, kv, rows);
}

Projection::Variant Projection::chooseSubgroups(const Matrix& matrix, Epilogue epilogue,
                                                uint32_t rows) const {
  Variant variant;
  variant.subgroups = true;
  variant.epilogue = epilogue;
  variant.norm = fusesNorm(epilogue);
  variant.shader = "matvec_subgroup_" + variantName(matrix.format, epilogue) + rowsSuffix(rows);
  variant.specialization = subgroupSpecialization(matrix, *library_);
  variant.tileColumns = 4 * variant.specialization.back();
  return variant;
}

Projection::Variant Projection::chooseFew(DeviceFormat format, Epilogue epilogue, KvFormat kv,
                                          uint32_t rows) const {
  const bool cpu = library_->flavour() == Flavour::cpuLanes8;
  Variant variant;
  variant.epilogue = epilogue;
  variant.norm = fusesNorm(epilogue);
  variant.weightView = weightView(format, false);
  variant.shader = (cpu ? "matvec_cpu_" : "matvec_") + variantName(format, epilogue);
  if (epilogue == Epilogue::qkv) variant.shader += kvSuffix(kv);
  variant.shader += rowsSuffix(rows);
  variant.tileColumns = PANEL_COLUMNS;
  return variant;
}

Projection::Variant Projection::chooseMany(const Matrix& matrix, Epilogue epilogue, uint32_t rows) const {
  if (library_->flavour() == Flavour::cooperative) return chooseCooperative(matrix, epilogue, rows);
  const bool cpu = library_->flavour() == Flavour::cpuLanes8;
  Variant variant;
  variant.epilogue = epilogue;
  variant.weightView = weightView(matrix.format, cpu);
  variant.shader = (cpu ? "matmul_cpu_" : "matmul_") + variantName(matrix.format, epilogue);
  variant.tileColumns = cpu ? PANEL_COLUMNS : 2 * PANEL_COLUMNS;
  variant.tileRows = cpu ? 32 : 64;
  return variant;
}

Projection::Variant Projection::chooseCooperative(const Matrix& matrix, Epilogue epilogue,
                                                  uint32_t rows) const {
  if (onlyTile_) return tileVariant(matrix, epilogue, *onlyTile_);
  const uint32_t processors = library_->device().info().limits.processors;
  return tileVariant(matrix, epilogue, chooseMatrixTile(rows, matrix.columns, processors));
}

Projection::Variant Projection::tileVariant(const Matrix& matrix, Epilogue epilogue, const MatrixTile& tile) {
  Variant variant;
  variant.subgroups = variant.rowTilesFirst = true;
  variant.epilogue = epilogue;
  variant.shader = std::string(tile.shader) + "_" + variantName(matrix.format, epilogue);
  variant.tileColumns = tile.columns;
  variant.tileRows = tile.rows;
  variant.x = ActivationFormat::f16;
  if (epilogue == Epilogue::swiglu || epilogue == Epilogue::qkv) variant.y = ActivationFormat::f16;
  return variant;
}

Result<std::shared_ptr<vulkan::Pipeline>> Projection::pipeline(const Variant& variant) {
  constexpr uint32_t pushBytes = sizeof(interface::ProjectionPush);
  if (variant.subgroups)
    return library_->subgroupPipeline(variant.shader, storageBindings(variant.epilogue, variant.norm),
                                      pushBytes, variant.specialization);
  return library_->pipeline(variant.shader, texelBindings(variant.epilogue, variant.norm), pushBytes);
}

bool Projection::fusesQkv(uint32_t rows, KvFormat kv) const {
  if (kv == KvFormat::q8) return false;  // its product would need whole heads
  return rows <= fewRows || library_->flavour() == Flavour::cooperative;
}

Status Projection::prepare(const Matrix& matrix, Epilogue epilogue, KvFormat kv, uint32_t rows) {
  std::vector<Variant> variants;
  if (rows > fewRows && library_->flavour() == Flavour::cooperative) {
    for (const MatrixTile& tile : matrixTiles()) variants.push_back(tileVariant(matrix, epilogue, tile));
  } else {
    variants.push_back(choose(matrix, epilogue, kv, rows));
  }
  for (const Variant& variant : variants) {
    const auto made = pipeline(variant);
    if (!made) return fail(made.error());
  }
  return {};
}

Status Projection::record(Dispatcher& work, const ProjectionJob& job) {
  if (job.rows == 0) return {};
  const KvFormat kv = job.qkv ? job.qkv->cache.format : KvFormat::f16;
  const Matrix& matrix = job.matrix;
  const Variant variant = choose(matrix, job.epilogue, kv, job.rows);
  if (variant.norm != job.norm.has_value())
    return fail(ErrorCode::internal, job.operation,
                "has a norm where its kernel takes none, or none where it does");
  if (variant.x != job.x.format || variant.y != job.y.format)
    return fail(ErrorCode::internal, job.operation, "has rows of another format than its kernel takes");
  ORTHROS_ASSIGN(const auto program, pipeline(variant));

  const uint64_t weights = weightBytes(matrix.format, matrix.columns, matrix.inner);
  const uint64_t scales = scaleBytes(matrix.format, matrix.columns, matrix.inner);
  const VkFormat yView =
      job.epilogue == Epilogue::swiglu ? VK_FORMAT_R32G32_SFLOAT : VK_FORMAT_R32G32B32A32_SFLOAT;
  const Binding x = job.x.binding(Access::read);
  std::vector<Binding> bindings = {
      x,
      {matrix.buffer, matrix.weightsOffset, weights, variant.weightView, Access::read},
      scales ? Binding{matrix.buffer, matrix.scalesOffset, scales, scaleView(matrix.format), Access::read}
             : x,
      job.y.binding(job.epilogue == Epilogue::residual ? Access::readWrite : Access::write, yView)};
  if (job.qkv) job.qkv->appendBindings(bindings);
  if (variant.norm) {
    while (bindings.size() < 8) bindings.push_back(x);
    bindings.push_back(job.norm->gain.binding());
  }

  const vulkan::DispatchLabel label = labelFor(job);
  vulkan::WorkgroupCount groups;
  groups.x = divideRoundingUp(matrix.columns, variant.tileColumns);
  groups.y = variant.tileRows == 0 ? 1 : divideRoundingUp(job.rows, variant.tileRows);
  if (variant.rowTilesFirst) std::swap(groups.x, groups.y);
  const auto push = pushFor(job);
  return work.dispatch(*program, bindings, vulkan::pushBytes(push), groups, label);
}

}  // namespace orthros::kernels
