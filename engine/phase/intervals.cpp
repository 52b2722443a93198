#include "engine/phase/intervals.hpp"

#include <algorithm>
#include <utility>

namespace orthros::phase {
namespace {

// Pairs of the rows [0, end).
uint64_t pairsBefore(const LayerAttention& attention, uint64_t end) {
  const auto triangle = [](uint64_t rows) {
    return rows % 2 == 0 ? rows / 2 * (rows + 1) : (rows + 1) / 2 * rows;
  };
  if (attention.kind == AttentionKind::full) return triangle(end);
  const uint64_t mostKeys = uint64_t{attention.window} + attention.sinks;
  if (end <= mostKeys) return triangle(end);
  return triangle(mostKeys) + (end - mostKeys) * mostKeys;
}

}  // namespace

KeyIntervals keysOfRow(const LayerAttention& attention, uint32_t position) {
  const uint32_t end = position + 1;
  const bool windowed = attention.kind == AttentionKind::window && end > attention.window;
  const uint32_t windowBegin = windowed ? end - attention.window : 0;
  if (windowBegin <= attention.sinks) return {0, 0, end};
  return {attention.sinks, windowBegin, end};
}

KeyIntervals unionOf(std::span<const KeyIntervals> rows) {
  std::vector<std::pair<uint32_t, uint32_t>> pieces;
  pieces.reserve(2 * rows.size());
  for (const KeyIntervals& row : rows) {
    pieces.emplace_back(0, row.sinkEnd);
    pieces.emplace_back(row.windowBegin, row.end);
  }
  std::sort(pieces.begin(), pieces.end());
  // An interval pair leaves out one gap: the smallest pair leaves out the widest.
  KeyIntervals cover;
  for (const auto& [begin, end] : pieces) {
    if (begin > cover.end && begin - cover.end > cover.windowBegin - cover.sinkEnd) {
      cover.sinkEnd = cover.end;
      cover.windowBegin = begin;
    }
    cover.end = std::max(cover.end, end);
  }
  return cover;
}

uint64_t countPairs(const LayerAttention& attention, uint32_t begin, uint32_t end) {
  return begin < end ? pairsBefore(attention, end) - pairsBefore(attention, begin) : 0;
}

}  // namespace orthros::phase
