// The phase plan: per layer and per phase, which attention a row uses.
//
// Definition. Every row (query position i) carries a phase. Keys j it reads:
//     P row (prefill)  j <= i and (i - j < W or j < S)
//     D row (decode)   j <= i
// W is the window (it counts the row itself), S the number of attention sinks. More generally a plan gives
// each phase of each layer a kind, so that both phases may be windowed or full.
//
// Source of the idea: the abstract of "Orthros: Phase-Aware Heterogeneous Attention for Efficient
// Transformers" (arXiv 2610.13735); the closest published design is SWAA (arXiv 2512.10411).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.hpp"

namespace orthros::phase {

enum class Phase : uint8_t { prefill = 0, decode = 1 };

// The numbers are those of the keys orthros.prefill.kind and orthros.decode.kind. 2 (linear) and
// 3 (window+linear) are reserved; reading them is a named error.
enum class AttentionKind : uint32_t { full = 0, window = 1 };

struct LayerAttention {
  AttentionKind kind = AttentionKind::full;
  uint32_t window = 0;  // tokens, >= 1 when kind is window
  uint32_t sinks = 0;   // tokens
  bool operator==(const LayerAttention&) const = default;
};

struct PhasePlan {
  std::string name;                     // preset name or "custom"
  std::vector<LayerAttention> prefill;  // one per layer
  std::vector<LayerAttention> decode;   // one per layer
  uint32_t tail = 1;                    // D rows at the end of a prompt segment, >= 1
  uint32_t fullMax = 0;                 // tokens; a segment up to this length is all D
  bool operator==(const PhasePlan&) const = default;

  uint32_t layers() const { return static_cast<uint32_t>(prefill.size()); }
  const LayerAttention& attention(uint32_t layer, Phase phase) const {
    return phase == Phase::prefill ? prefill[layer] : decode[layer];
  }
};

// Checks a plan against a model of `layers` layers and a context of `contextTokens`: W >= 1, tail >= 1,
// S <= context, one entry per layer. The error names the field.
Status validate(const PhasePlan& plan, uint32_t layers, uint32_t contextTokens);

}  // namespace orthros::phase
