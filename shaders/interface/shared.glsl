// Lets one header be read by GLSL and by C++: push constants and row tables have one definition.
#ifndef ORTHROS_INTERFACE_SHARED
#define ORTHROS_INTERFACE_SHARED
#ifdef __cplusplus
#include <cstdint>
namespace orthros::interface {
using uint = uint32_t;
}
#define INTERFACE_BEGIN namespace orthros::interface {
#define INTERFACE_END }
#else
#define INTERFACE_BEGIN
#define INTERFACE_END
#endif
#endif
