#include "engine/kernels/rms_norm.hpp"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::BindingKind;

Status RmsNorm::record(WorkQueue& queue, const RmsNormJob& job) {
  if (job.rows == 0) return {};
  const uint32_t threads = library_->flavour() == Flavour::cpuLanes8 ? 8 : 128;
  ORTHROS_ASSIGN(
      const auto program,
      library_->pipeline(std::string("rms_norm") + outputSuffix(job.y.format),
                         {BindingKind::uniformTexel, BindingKind::uniformTexel, BindingKind::storageTexel},
                         sizeof(interface::NormPush), {threads, threads}));
  interface::NormPush push{};
  push.rows = job.rows;
  push.xRow = job.xRow;
  push.yRow = job.yRow;
  push.stride = job.x.stride;
  push.width = job.width;
  push.epsilon = job.epsilon;
  const vulkan::Binding bindings[] = {job.x.binding(Access::read), job.gain.binding(), job.y.binding(Access::write)};
  vulkan::DispatchLabel label;
  label.operation = "norm";
  label.layer = job.layer;
  label.bytesWritten = job.y.valueBytes() * job.rows * job.width;
  label.bytesRead = job.x.valueBytes() * job.rows * job.width + 4ull * job.width;
  return queue.dispatch(*program, bindings, vulkan::pushBytes(push), {job.rows, 1, 1}, label);
}

}  // namespace orthros::kernels
