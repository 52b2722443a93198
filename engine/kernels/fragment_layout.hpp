// How a device's subgroups hold cooperative matrices, which VK_KHR_cooperative_matrix leaves to the driver.
// Attention in registers works where it is as shaders/fragment_layout.glsl says; the device is asked with
// fragment_layout.comp.
#pragma once

#include "engine/base/result.hpp"

namespace orthros::kernels {

class KernelLibrary;

// Runs the question on the device. Errors: those of pipelines, buffers and submits.
Result<bool> deviceHasFragmentLayout(KernelLibrary& library);

}  // namespace orthros::kernels
