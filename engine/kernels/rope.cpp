#include "engine/kernels/rope.hpp"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::Binding;

Status Rope::record(Dispatcher& work, const RopeJob& job) {
  using enum vulkan::BindingKind;
  const uint32_t threads = library_->flavour() == Flavour::cpuLanes8 ? 8 : 256;
  // Bindings 1 and 2 are those of a product's weights, unused here.
  ORTHROS_ASSIGN(
      const auto program,
      library_->pipeline(std::string("rope") + kvSuffix(job.target.cache.format) + outputSuffix(job.q.format),
                         {uniformTexel, uniformTexel, uniformTexel, storageTexel, storageTexel, storageTexel,
                          uniformTexel, uniformTexel},
                         sizeof(interface::ProjectionPush), {threads}));
  interface::ProjectionPush push {};
  push.rows = job.rows;
  push.xRow = push.yRow = job.firstRow;
  push.columns = job.joined.stride;
  job.target.fill(push);
  const Binding joined = job.joined.binding(Access::read);
  std::vector<Binding> bindings = {joined, joined, joined, job.q.binding(Access::write)};
  job.target.appendBindings(bindings);
  const HeadShape& heads = job.target.heads;
  vulkan::DispatchLabel label;
  label.operation = "rope";
  label.layer = job.layer;
  label.bytesRead = 4ull * job.rows * (heads.heads + 2 * heads.kvHeads) * heads.logicalHeadSize;
  label.bytesWritten =
      job.q.valueBytes() * job.rows * heads.heads * heads.logicalHeadSize + job.target.cacheBytes(job.rows);
  return work.dispatch(*program, bindings, vulkan::pushBytes(push), {job.rows, 1, 1}, label);
}

}  // namespace orthros::kernels
