// For the debug preset: what Vulkan drivers and layers leak is theirs. They are kept loaded until the leak check, which
// could not tell whose the memory was otherwise.
#include <dlfcn.h>

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libVkLayer_khronos_validation\nleak:libvulkan_lvp\nleak:libLLVM\n";
}

namespace {

const bool keptLoaded = [] {
  for (const char* name : {"libVkLayer_khronos_validation.so", "libvulkan_lvp.so"})
    dlopen(name, RTLD_LAZY | RTLD_NODELETE);
  return true;
}();

}  // namespace
