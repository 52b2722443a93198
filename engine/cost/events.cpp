#include "engine/cost/events.hpp"

#include <algorithm>

#include "engine/phase/intervals.hpp"

namespace orthros::cost {
namespace {

using phase::KeyIntervals;

constexpr uint64_t f32Bytes = 4;  // of the residual stream and norm weights

struct AttentionWork {
  uint64_t pairs = 0;  // of the batch's wanted rows in one layer
  uint64_t keys = 0;   // distinct rows of K and V that they read
};

// What one operation of one batch is about.
struct Subject {
  const ModelShape& shape;
  const GraphFacts& facts;
  uint64_t rows;
  AttentionWork attention;
  bool small;       // this many rows go through the matrix-vector kernels
  bool smallBatch;  // so do all rows of the batch, whose queries were computed together

  uint64_t activations(uint64_t perRow) const { return rows * perRow * f32Bytes; }
  // Rows between two kernels: normed, attended, gated; and queries.
  uint64_t between(uint64_t perRow) const { return rows * perRow * (small ? f32Bytes : facts.rowValueBytes); }
  uint64_t queries() const { return rows * queryWidth() * (smallBatch ? f32Bytes : facts.rowValueBytes); }
  uint64_t queryWidth() const { return uint64_t{shape.heads} * shape.headSize; }
  uint64_t kvWidth() const { return uint64_t{shape.kvHeads} * shape.headSize; }
  bool ropeFollows() const { return small ? !facts.fusesRopeOfFewRows : !facts.fusesRope; }
  bool mergeFollows() const { return small ? !facts.mergesFewRows : splits() > 1; }
  uint32_t splits() const {
    const uint64_t keysPerRow = rows == 0 ? 0 : attention.pairs / rows;
    return attentionSplits(facts.tiling, static_cast<uint32_t>(rows), shape.heads, keysPerRow);
  }
  uint64_t normWeights() const { return shape.width * f32Bytes; }
  uint64_t fusedNorm() const { return small ? normWeights() : 0; }
};

struct Work {
  uint64_t flop = 0;
  uint64_t bytes = 0;
  uint64_t pairs = 0;
};

Work embed(const Subject& s) {
  return {0, s.rows * s.facts.weights.embeddingRow + s.activations(s.shape.width)};
}

Work norm(const Subject& s) {
  return {0, s.activations(s.shape.width) + s.between(s.shape.width) + s.normWeights()};
}

// Rows are rotated and written to the cache by the product itself, or by rope afterwards.
Work qkv(const Subject& s) {
  const uint64_t outputs = s.queryWidth() + 2 * s.kvWidth();
  const uint64_t written =
      s.ropeFollows() ? s.activations(outputs) : s.queries() + s.rows * kvRowBytes(s.shape);
  return {2 * s.rows * s.shape.width * outputs,
          s.facts.weights.qkv + s.fusedNorm() + s.between(s.shape.width) + written};
}

Work rope(const Subject& s) {
  const uint64_t joined = s.queryWidth() + 2 * s.kvWidth();
  return {0, s.activations(joined) + s.queries() + s.rows * kvRowBytes(s.shape)};
}

Work attention(const Subject& s) {
  return {flopPerPair(s.shape) * s.attention.pairs,
          s.queries() + s.between(s.queryWidth()) + s.attention.keys * kvRowBytes(s.shape),
          s.attention.pairs};
}

Work merge(const Subject& s) {
  return {0, 2 * s.between(s.queryWidth())};
}

Work output(const Subject& s) {
  return {2 * s.rows * s.queryWidth() * s.shape.width,
          s.facts.weights.output + s.between(s.queryWidth()) + 2 * s.activations(s.shape.width)};
}

Work gateUp(const Subject& s) {
  return {4 * s.rows * s.shape.width * s.shape.feedForward,
          s.facts.weights.gateUp + s.fusedNorm() + s.between(s.shape.width) + s.between(s.shape.feedForward)};
}

Work down(const Subject& s) {
  return {2 * s.rows * s.shape.feedForward * s.shape.width,
          s.facts.weights.down + s.between(s.shape.feedForward) + 2 * s.activations(s.shape.width)};
}

Work logits(const Subject& s) {
  return {2 * s.rows * s.shape.width * s.shape.vocabulary, s.facts.weights.logits + s.fusedNorm() +
                                                               s.between(s.shape.width) +
                                                               s.rows * s.shape.vocabulary * f32Bytes};
}

// Where an operation stands and how many rows it has: all of the batch up to K and V, the ones still needed
// after.
enum class Place { beforeLayers, layerToKv, layerAfterKv, afterLayers };
enum class Size { any, large, small, unfused, split };

struct Operation {
  const char* name;
  Place place;
  Size size;
  Limit limitWhenLarge;
  Work (*work)(const Subject&);
};

constexpr Operation graph[] = {
    {"embed", Place::beforeLayers, Size::any, Limit::memory, embed},
    {"norm", Place::layerToKv, Size::large, Limit::memory, norm},
    {"qkv", Place::layerToKv, Size::any, Limit::matmul, qkv},
    {"rope", Place::layerToKv, Size::unfused, Limit::memory, rope},
    {"attention", Place::layerAfterKv, Size::large, Limit::attention, attention},
    {"decodeAttention", Place::layerAfterKv, Size::small, Limit::memory, attention},
    {"merge", Place::layerAfterKv, Size::split, Limit::memory, merge},
    {"output", Place::layerAfterKv, Size::any, Limit::matmul, output},
    {"norm", Place::layerAfterKv, Size::large, Limit::memory, norm},
    {"gateUp", Place::layerAfterKv, Size::any, Limit::matmul, gateUp},
    {"down", Place::layerAfterKv, Size::any, Limit::matmul, down},
    {"norm", Place::afterLayers, Size::large, Limit::memory, norm},
    {"logits", Place::afterLayers, Size::any, Limit::matmul, logits},
};

bool runsFor(Size size, const Subject& subject) {
  switch (size) {
    case Size::any:
      return true;
    case Size::large:
      return !subject.small;
    case Size::small:
      return subject.small;
    case Size::unfused:
      return subject.ropeFollows();
    case Size::split:
      return subject.mergeFollows();
  }
  return false;
}

void addCount(std::vector<OperationCount>& counts, const OperationCount& more) {
  const auto same = [&](const OperationCount& count) {
    return count.operation == more.operation && count.limit == more.limit;
  };
  const auto found = std::find_if(counts.begin(), counts.end(), same);
  if (found == counts.end()) {
    counts.push_back(more);
    return;
  }
  found->dispatches += more.dispatches;
  found->flop += more.flop;
  found->bytes += more.bytes;
  found->pairs += more.pairs;
}

// Appends the operations of one place, each done `times` times.
void addPlace(std::vector<OperationCount>& counts, Place place, const Subject& subject, uint64_t times = 1) {
  if (subject.rows == 0) return;
  for (const Operation& operation : graph) {
    if (operation.place != place || !runsFor(operation.size, subject)) continue;
    const Work work = operation.work(subject);
    addCount(counts, {operation.name, subject.small ? Limit::memory : operation.limitWhenLarge, times,
                      times * work.flop, times * work.bytes, times * work.pairs});
  }
}

class BatchWalk {
 public:
  BatchWalk(const ModelShape& shape, const phase::PhasePlan& plan, const GraphFacts& facts,
            const phase::PhaseSpans& spans, const RowRange& batch)
      : shape_(shape), plan_(plan), facts_(facts), spans_(spans), batch_(batch) {}

  std::vector<OperationCount> counts() const {
    std::vector<OperationCount> counts;
    addPlace(counts, Place::beforeLayers, subject(batch_.rows));
    for (uint32_t layer = 0; layer < plan_.layers();) {
      const uint32_t end = endOfEqualLayers(layer);
      const uint32_t rowsAfterKv = isLast(layer) ? batch_.wantedRows : batch_.rows;
      addPlace(counts, Place::layerToKv, subject(batch_.rows), end - layer);
      addPlace(counts, Place::layerAfterKv, subject(rowsAfterKv, attentionOf(layer, rowsAfterKv)),
               end - layer);
      layer = end;
    }
    for (uint32_t done = 0; done < batch_.wantedRows; done += facts_.logitRows)
      addPlace(counts, Place::afterLayers, subject(std::min(facts_.logitRows, batch_.wantedRows - done)));
    return counts;
  }

 private:
  bool isLast(uint32_t layer) const { return layer + 1 == plan_.layers(); }

  // Neighbouring layers that do the same are counted once, times their number. The last layer stands alone.
  uint32_t endOfEqualLayers(uint32_t layer) const {
    uint32_t end = layer + 1;
    while (end + 1 < plan_.layers() && plan_.prefill[end] == plan_.prefill[layer] &&
           plan_.decode[end] == plan_.decode[layer]) {
      ++end;
    }
    return end;
  }

  bool isSmall(uint32_t rows) const { return rows <= facts_.smallRows; }

  Subject subject(uint32_t rows, AttentionWork attention = {}) const {
    return {shape_, facts_, rows, attention, isSmall(rows), isSmall(batch_.rows)};
  }

  // The last `rows` rows of the batch.
  AttentionWork attentionOf(uint32_t layer, uint32_t rows) const {
    const uint32_t end = batch_.firstRow + batch_.rows;
    const uint32_t begin = end - rows;
    AttentionWork work;
    for (const phase::PhaseSpan& span : spans_.slice(begin, end)) {
      work.pairs += phase::countPairs(plan_.attention(layer, span.phase), span.begin, span.end);
    }
    std::vector<KeyIntervals> intervals;
    for (uint32_t row = begin; row < end; ++row)
      intervals.push_back(phase::keysOfRow(plan_.attention(layer, spans_.phaseOf(row)), row));
    work.keys = phase::unionOf(intervals).keys();
    return work;
  }

  const ModelShape& shape_;
  const phase::PhasePlan& plan_;
  const GraphFacts& facts_;
  const phase::PhaseSpans& spans_;
  const RowRange& batch_;
};

}  // namespace

GraphFacts graphFactsFor(const ModelShape& shape) {
  const uint64_t d = shape.width;
  const uint64_t query = uint64_t{shape.heads} * shape.headSize;
  const uint64_t kv = uint64_t{shape.kvHeads} * shape.headSize;
  const double elements =
      static_cast<double>(shape.layers * layerParameters(shape)) + static_cast<double>(d * shape.vocabulary);
  const double bytesPerElement = elements > 0.0 ? static_cast<double>(shape.weightBytes) / elements : 0.0;
  const auto bytesOf = [&](uint64_t count) {
    return static_cast<uint64_t>(bytesPerElement * static_cast<double>(count) + 0.5);
  };
  GraphFacts facts;
  facts.weights.embeddingRow = bytesOf(d);
  facts.weights.qkv = bytesOf(d * (query + 2 * kv));
  facts.weights.output = bytesOf(query * d);
  facts.weights.gateUp = bytesOf(2 * d * shape.feedForward);
  facts.weights.down = bytesOf(d * shape.feedForward);
  facts.weights.logits = bytesOf(d * shape.vocabulary);
  return facts;
}

std::vector<OperationCount> predictBatch(const ModelShape& shape, const phase::PhasePlan& plan,
                                         const GraphFacts& facts, const phase::PhaseSpans& spans,
                                         const RowRange& batch) {
  return BatchWalk(shape, plan, facts, spans, batch).counts();
}

std::vector<RowRange> cutRows(const phase::PhaseSpans& spans, uint32_t begin, uint32_t batchRows) {
  std::vector<RowRange> batches;
  const uint32_t end = spans.length();
  while (begin < end && batchRows > 0) {
    const uint32_t rows = std::min(batchRows, end - begin);
    batches.push_back({begin, rows, begin + rows == end ? 1u : 0u});
    begin += rows;
  }
  return batches;
}

void addCounts(std::vector<OperationCount>& counts, std::span<const OperationCount> more) {
  for (const OperationCount& count : more) addCount(counts, count);
}

OperationCount totalOf(std::span<const OperationCount> counts) {
  OperationCount total;
  for (const OperationCount& count : counts) {
    total.dispatches += count.dispatches;
    total.flop += count.flop;
    total.bytes += count.bytes;
    total.pairs += count.pairs;
  }
  return total;
}

std::optional<double> predictNs(std::span<const OperationCount> counts, const DeviceRates& rates) {
  double sum = 0.0;
  for (const OperationCount& count : counts) {
    const auto ns = predictNs({count.limit, count.dispatches, count.flop, count.bytes}, rates);
    if (!ns) return std::nullopt;
    sum += *ns;
  }
  return sum;
}

}  // namespace orthros::cost
