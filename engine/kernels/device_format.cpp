#include "engine/kernels/device_format.hpp"

namespace orthros::kernels {

const char* deviceFormatName(DeviceFormat format) {
  switch (format) {
    case DeviceFormat::f32:
      return "f32";
    case DeviceFormat::f16:
      return "f16";
    case DeviceFormat::q8:
      return "8-bit";
    case DeviceFormat::q4:
      return "4-bit";
  }
  return "";
}

uint32_t weightsPerChunk(DeviceFormat format) {
  return 4u << static_cast<uint32_t>(format);
}

bool hasScales(DeviceFormat format) {
  return format == DeviceFormat::q8 || format == DeviceFormat::q4;
}

uint64_t weightBytes(DeviceFormat format, uint32_t columns, uint32_t inner) {
  return uint64_t{columns} * inner / weightsPerChunk(format) * 16;
}

uint64_t scaleBytes(DeviceFormat format, uint32_t columns, uint32_t inner) {
  return hasScales(format) ? uint64_t{columns} * inner / SCALE_GROUP * 4 : 0;
}

}  // namespace orthros::kernels
