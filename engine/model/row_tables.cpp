#include "engine/model/row_tables.hpp"

#include <algorithm>

#include "engine/base/checked.hpp"

namespace orthros::model {
namespace {

TableEntry entryOf(const phase::KeyIntervals& keys) {
  return {keys.sinkEnd, keys.windowBegin, keys.end, 0};
}

}  // namespace

AttentionClasses::AttentionClasses(const phase::PhasePlan& plan) {
  for (uint32_t layer = 0; layer < plan.layers(); ++layer) {
    const std::array<phase::LayerAttention, 2> pair = {plan.prefill[layer], plan.decode[layer]};
    const auto found = std::find(classes_.begin(), classes_.end(), pair);
    ofLayer_.push_back(static_cast<uint32_t>(found - classes_.begin()));
    if (found == classes_.end()) classes_.push_back(pair);
  }
}

RowTableData buildRowTables(const AttentionClasses& classes, uint32_t firstPosition,
                            std::span<const phase::Phase> phases, uint32_t tileRows, uint32_t padding) {
  RowTableData data;
  const auto rows = static_cast<uint32_t>(phases.size());
  data.paddedRows = roundUp(rows, padding);
  data.tilesPerClass = data.paddedRows / tileRows;
  data.rows.resize(size_t{classes.count()} * data.paddedRows);
  data.tiles.resize(size_t{classes.count()} * data.tilesPerClass);
  data.intervals.resize(classes.count());
  for (uint32_t c = 0; c < classes.count(); ++c) {
    auto& intervals = data.intervals[c];
    for (uint32_t row = 0; row < rows; ++row) {
      intervals.push_back(phase::keysOfRow(classes.attention(c, phases[row]), firstPosition + row));
      data.rows[size_t{c} * data.paddedRows + row] = entryOf(intervals.back());
    }
    for (uint32_t tile = 0; tile * tileRows < rows; ++tile) {
      const uint32_t first = tile * tileRows;
      const auto tileIntervals = std::span(intervals).subspan(first, std::min(tileRows, rows - first));
      data.tiles[size_t{c} * data.tilesPerClass + tile] = entryOf(phase::unionOf(tileIntervals));
    }
  }
  return data;
}

RowTableData::Totals RowTableData::totals(uint32_t classIndex, uint32_t firstRow, uint32_t count) const {
  const auto keysOfRows = std::span(intervals[classIndex]).subspan(firstRow, count);
  Totals totals;
  for (const auto& keys : keysOfRows) totals.pairs += keys.keys();
  totals.keysRead = phase::unionOf(keysOfRows).keys();
  return totals;
}

}  // namespace orthros::model
