#include "engine/session/probe.hpp"

#include <algorithm>
#include <vector>

#include "engine/kernels/projection.hpp"
#include "engine/model/workspace.hpp"
#include "engine/session/opened_model.hpp"
#include "engine/session/run_recorder.hpp"

namespace orthros::session {
namespace {

constexpr uint32_t probeRows = 64;
constexpr uint32_t probeDepth =
    1024;  // tokens before the timed rows, so that attention has something to read

Status runBatch(DeviceRows& rows, uint32_t count, RunPhase phase, RunRecorder& recorder,
                const CancelToken& cancel) {
  const std::vector<text::TokenId> tokens(count, 0);
  const std::vector<phase::Phase> phases(count, phase::Phase::decode);
  std::vector<float> logits(rows.vocabulary());
  const uint64_t begin = recorder.elapsedNs();
  const uint32_t firstRow = rows.length();
  ORTHROS_ASSIGN(const RowReport report, rows.run({tokens, phases, 1}, logits, cancel));
  recorder.add({phase, firstRow, count}, {begin, recorder.elapsedNs()}, report);
  return {};
}

// The rows before the timed ones are never computed: only the time counts, and the cache is thrown away.
Status placeAt(DeviceRows& rows, uint32_t depth) {
  rows.truncate(0);
  ORTHROS_TRY(rows.cache().reserve(depth));
  rows.cache().advance(depth);
  return {};
}

}  // namespace

Status probeSpeed(const OpenedModel& opened, SpeedBook& speeds, const CancelToken& cancel) {
  const uint32_t context = opened.contextTokens();
  const uint32_t count = std::min({probeRows, opened.deviceModel().maxBatchRows(), context / 2});
  if (count <= 1) return {};
  ORTHROS_ASSIGN(const auto rows, opened.newRows(opened.plan(), context));
  const bool known = opened.predictor().rates() != cost::DeviceRates{};
  for (const bool timed : {false, true}) {
    if (timed && known) break;
    ORTHROS_TRY(placeAt(*rows, timed ? std::min(probeDepth, context - count - 1) : 0));
    RunRecorder recorder(opened.headerFor(opened.plan()));
    ORTHROS_TRY(runBatch(*rows, count, RunPhase::tail, recorder, cancel));
    ORTHROS_TRY(runBatch(*rows, 1, RunPhase::decode, recorder, cancel));
    if (timed) speeds.learn(recorder.finish("end"));
  }
  return {};
}

cost::GraphFacts graphFactsOf(const model::DeviceModel& model, const cost::ModelShape& shape) {
  cost::GraphFacts facts = cost::graphFactsFor(shape);
  facts.smallRows = kernels::Projection::fewRows;
  facts.logitRows = model::Workspace::logitRows;
  facts.rowValueBytes = model.rowsFormat(facts.smallRows + 1) == kernels::ActivationFormat::f16 ? 2 : 4;
  facts.tiling = model.attention().tiling();
  facts.fusesRope = model.projection().fusesQkv(facts.smallRows + 1, model.kvFormat());
  facts.fusesRopeOfFewRows = model.projection().fusesQkv(1, model.kvFormat());
  facts.mergesFewRows = model.attention().mergesFewRows();
  const model::LayerWeights& layer = model.layer(0);
  facts.weights = {.embeddingRow = model.embedding().bytes() / std::max(1u, model.embedding().columns),
                   .qkv = layer.qkv.bytes(),
                   .output = layer.output.bytes(),
                   .gateUp = layer.gateUp.bytes(),
                   .down = layer.down.bytes(),
                   .logits = model.outputMatrix().bytes()};
  return facts;
}

}  // namespace orthros::session
