#include "engine/kernels/argmax.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"
#include "shaders/interface/rows.glsl"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::Binding;

constexpr uint32_t logitsPerWorkgroup = 1024;

Result<std::shared_ptr<vulkan::Pipeline>> Argmax::pipeline() {
  return library_->pipeline("argmax", std::vector(4, vulkan::BindingKind::storage),
                            sizeof(interface::ArgmaxPush));
}

Status Argmax::prepare() {
  const auto made = pipeline();
  return made ? Status{} : fail(made.error());
}

Status Argmax::record(Dispatcher& work, const ArgmaxJob& job) {
  ORTHROS_ASSIGN(const auto program, pipeline());
  if (job.rows > maxRows) return fail(ErrorCode::internal, operation, "has too many rows");
  const interface::ArgmaxPush push { job.count, job.logits.stride / 4, job.target };
  const auto whole = [](vulkan::Buffer* buffer, Access access) {
    return Binding{buffer, 0, vulkan::wholeRange, VK_FORMAT_UNDEFINED, access};
  };
  const uint64_t logitBytes = 4ull * job.rows * job.logits.stride;
  const Binding logits{job.logits.buffer, 0, logitBytes, VK_FORMAT_UNDEFINED, Access::read};
  const Binding bindings[] = {logits, whole(job.scratch, Access::readWrite),
                              whole(job.arrivals, Access::readWrite), whole(job.tokens, Access::write)};
  const uint32_t groups = std::min(divideRoundingUp(job.count, logitsPerWorkgroup), maxWorkgroups);
  vulkan::DispatchLabel label;
  label.operation = operation;
  label.bytesRead = 4ull * job.rows * job.count;
  label.bytesWritten = 4ull * job.rows;
  label.joinsZ = true;
  return work.dispatch(*program, bindings, vulkan::pushBytes(push), {1, job.rows, groups}, label);
}

}  // namespace orthros::kernels
