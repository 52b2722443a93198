#include "engine/kernels/embed.hpp"

namespace orthros::kernels {

using vulkan::Access;
using vulkan::Binding;
using vulkan::BindingKind;

Status Embed::record(Dispatcher& work, const EmbedJob& job) {
  static constexpr const char* shaders[] = {"embed_f32", "embed_f16", "embed_q8", "embed_q4"};
  const Matrix& matrix = job.embedding;
  using enum BindingKind;
  ORTHROS_ASSIGN(const auto program,
                 library_->pipeline(shaders[static_cast<uint32_t>(matrix.format)],
                                    {uniformTexel, uniformTexel, uniformTexel, storageTexel},
                                    sizeof(interface::EmbedPush)));
  const interface::EmbedPush push { job.firstRow, matrix.inner, matrix.logicalColumns };
  const VkFormat weightView =
      matrix.format == DeviceFormat::f32 ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_R32G32B32A32_UINT;
  const VkFormat scaleView =
      matrix.format == DeviceFormat::q4 ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32G32B32A32_SFLOAT;
  const Binding tokens{job.tokens, 0, vulkan::wholeRange, VK_FORMAT_R32_UINT, Access::read};
  const Binding weights{matrix.buffer, matrix.weightsOffset,
                        weightBytes(matrix.format, matrix.columns, matrix.inner), weightView, Access::read};
  const uint64_t scales = scaleBytes(matrix.format, matrix.columns, matrix.inner);
  const Binding bindings[] = {
      tokens, weights,
      scales ? Binding{matrix.buffer, matrix.scalesOffset, scales, scaleView, Access::read} : tokens,
      job.y.binding(Access::write)};
  vulkan::DispatchLabel label;
  label.operation = "embed";
  label.bytesRead = matrix.bytes() / matrix.columns * job.rows;
  label.bytesWritten = 4ull * job.rows * matrix.logicalInner;
  return work.dispatch(*program, bindings, vulkan::pushBytes(push), {job.rows, 1, 1}, label);
}

}  // namespace orthros::kernels
