// Which attention shader a device runs for a shape, and how its workgroups cover rows, heads and keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cost/attention_split.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/tensors.hpp"

namespace orthros::kernels {

inline constexpr uint32_t maxHeadSize = 256;

// A row of the variant table.
struct AttentionVariant {
  std::string shader;
  std::vector<uint32_t> specialization = {};
  uint32_t fold = 1;                  // query heads of one KV head per workgroup
  uint32_t tileRows = 1;              // rows per workgroup
  uint32_t lanes = 1;                 // partial results per split
  bool subgroups = false;             // counts on whole subgroups and takes storage buffers
  bool merges = false;                // joins the parts of the keys itself
  cost::AttentionTiling tiling = {};  // how the keys are split
};

// Of tiles of rows, and of few rows (always split).
AttentionVariant prefillVariant(KernelLibrary& library, const HeadShape& heads, KvFormat kv);
AttentionVariant decodeVariant(KernelLibrary& library, const HeadShape& heads, KvFormat kv);

}  // namespace orthros::kernels
