#include "engine/kernels/memory_sweep.hpp"

#include "shaders/interface/rows.glsl"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::Binding;
using vulkan::BindingKind;

Status MemorySweep::record(Dispatcher& work, const MemorySweepJob& job) {
  ORTHROS_ASSIGN(const auto program, library_->pipeline(job.copies ? "memory_copy" : "memory_read",
                                                        {BindingKind::storage, BindingKind::storage},
                                                        sizeof(interface::MemorySweepPush)));
  const interface::MemorySweepPush push { static_cast<uint32_t>(job.bytes / texelBytes) };
  const uint64_t written = job.copies ? job.bytes : resultBytes;
  const Binding bindings[] = {{job.source, 0, job.bytes, VK_FORMAT_UNDEFINED, Access::read},
                              {job.target, 0, written, VK_FORMAT_UNDEFINED, Access::write}};
  vulkan::DispatchLabel label;
  label.operation = "memory";
  label.bytesRead = job.bytes;
  label.bytesWritten = written;
  return work.dispatch(*program, bindings, vulkan::pushBytes(push), {workgroups, 1, 1}, label);
}

}  // namespace orthros::kernels
