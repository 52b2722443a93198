#include "engine/kernels/rms_norm.hpp"

#include "engine/base/checked.hpp"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::BindingKind;

constexpr uint32_t subgroupThreads = 256;

Result<std::shared_ptr<vulkan::Pipeline>> RmsNorm::pipeline(ActivationFormat format) {
  using enum BindingKind;
  constexpr uint32_t pushBytes = sizeof(interface::NormPush);
  if (library_->usesSubgroups())
    return library_->subgroupPipeline(std::string("rms_norm_subgroup") + outputSuffix(format),
                                      std::vector(3, storage), pushBytes,
                                      {subgroupThreads, library_->subgroup()});
  const uint32_t threads = library_->flavour() == Flavour::cpuLanes8 ? 8 : 128;
  return library_->pipeline(std::string("rms_norm") + outputSuffix(format),
                            {uniformTexel, uniformTexel, storageTexel}, pushBytes, {threads, threads});
}

Status RmsNorm::record(Dispatcher& work, const RmsNormJob& job) {
  if (job.rows == 0) return {};
  ORTHROS_ASSIGN(const auto program, pipeline(job.y.format));
  const uint32_t rowsPerGroup = library_->usesSubgroups() ? subgroupThreads / library_->subgroup() : 1;
  interface::NormPush push {};
  push.rows = job.rows;
  push.xRow = job.xRow;
  push.yRow = job.yRow;
  push.stride = job.x.stride;
  push.width = job.width;
  push.epsilon = job.epsilon;
  const vulkan::Binding bindings[] = {job.x.binding(Access::read), job.gain.binding(),
                                      job.y.binding(Access::write)};
  vulkan::DispatchLabel label;
  label.operation = "norm";
  label.layer = job.layer;
  label.bytesWritten = job.y.valueBytes() * job.rows * job.width;
  label.bytesRead = job.x.valueBytes() * job.rows * job.width + 4ull * job.width;
  return work.dispatch(*program, bindings, vulkan::pushBytes(push),
                       {divideRoundingUp(job.rows, rowsPerGroup), 1, 1}, label);
}

}  // namespace orthros::kernels
