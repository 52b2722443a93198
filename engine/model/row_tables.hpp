// The tables that tell kernels which keys the rows of a batch read: engine/phase's intervals in the form of
// shaders/interface/attention.glsl.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/phase/intervals.hpp"
#include "engine/phase/plan.hpp"

namespace orthros::model {

// Layers whose attention is the same in both phases share one class of table entries.
class AttentionClasses {
 public:
  explicit AttentionClasses(const phase::PhasePlan& plan);
  uint32_t count() const { return static_cast<uint32_t>(classes_.size()); }
  uint32_t ofLayer(uint32_t layer) const { return ofLayer_[layer]; }
  const phase::LayerAttention& attention(uint32_t classIndex, phase::Phase phase) const {
    return classes_[classIndex][static_cast<size_t>(phase)];
  }

 private:
  std::vector<std::array<phase::LayerAttention, 2>> classes_;  // [class][phase]
  std::vector<uint32_t> ofLayer_;
};

using TableEntry = std::array<uint32_t, 4>;  // sinkEnd, windowBegin, end, 0

struct RowTableData {
  uint32_t paddedRows = 0;        // entries per class in rows
  uint32_t tilesPerClass = 0;     // entries per class in tiles
  std::vector<TableEntry> rows;   // [class][paddedRows]; a padding row reads nothing
  std::vector<TableEntry> tiles;  // [class][tilesPerClass]
  std::vector<std::vector<phase::KeyIntervals>> intervals;  // [class][row]

  // Of `count` rows from `firstRow` on: allowed pairs, and distinct keys read by any of them.
  struct Totals {
    uint64_t pairs = 0;
    uint64_t keysRead = 0;
  };
  Totals totals(uint32_t classIndex, uint32_t firstRow, uint32_t count) const;
};

// Rows at positions firstPosition, + 1, ... with their phases; tiles of `tileRows` rows; rows padded to
// `padding`.
RowTableData buildRowTables(const AttentionClasses& classes, uint32_t firstPosition,
                            std::span<const phase::Phase> phases, uint32_t tileRows, uint32_t padding);

}  // namespace orthros::model
