#include "engine/kernels/fragment_layout.hpp"

#include <array>

#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/work_queue.hpp"
#include "engine/vulkan/transfer.hpp"

namespace orthros::kernels {
namespace {

constexpr size_t invocations = 32, elements = 8;
using Places = std::array<float, 2 * invocations * elements>;  // [sum, left factor][invocation][element]

// row * 16 + column, as in shaders/fragment_layout.glsl.
Places wantedPlaces() {
  Places places{};
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t lane = i / elements % invocations, element = i % elements;
    const size_t row = lane / 4 + element / 4 * 8, column = lane % 4 * 2 + element % 2 + element / 2 % 2 * 8;
    places[i] = static_cast<float>(row * 16 + column);
  }
  return places;
}

}  // namespace

Result<bool> deviceHasFragmentLayout(KernelLibrary& library) {
  ORTHROS_ASSIGN(const auto program,
                 library.subgroupPipeline("fragment_layout", {vulkan::BindingKind::storage}, 0));
  Places places{};
  vulkan::BufferDescription description;
  description.name = "fragment layout";
  description.bytes = sizeof(places);
  ORTHROS_ASSIGN(const auto buffer, vulkan::Buffer::create(library.device(), description));
  ORTHROS_ASSIGN(const auto queue, WorkQueue::create(library.device()));
  const vulkan::Binding bindings[] = {
      {buffer.get(), 0, vulkan::wholeRange, VK_FORMAT_UNDEFINED, vulkan::Access::write}};
  vulkan::DispatchLabel label;
  label.operation = "fragmentLayout";
  ORTHROS_TRY(queue->dispatch(*program, bindings, {}, {1, 1, 1}, label));
  ORTHROS_TRY(queue->finish());
  ORTHROS_TRY(
      vulkan::Transfer(library.device()).download(*buffer, 0, std::as_writable_bytes(std::span(places))));
  return places == wantedPlaces();
}

}  // namespace orthros::kernels
