#include "engine/model/graph.hpp"

namespace orthros::model {

using kernels::Dispatcher;
using kernels::Epilogue;
using kernels::Projection;
using kernels::ProjectionJob;

struct Graph::Span {
  const Rows& rows;
  std::vector<RowTableData::Totals> totals = {};  // [class], of all rows

  explicit Span(const Rows& all) : rows(all) {
    for (uint32_t c = 0; c < rows.tables.intervals.size(); ++c)
      totals.push_back(rows.tables.totals(c, rows.first, rows.count));
  }
  // Of the rows after the first `skipped` ones. All layers but the last compute all rows.
  RowTableData::Totals totalsOf(uint32_t attentionClass, uint32_t skipped) const {
    if (skipped == 0) return totals[attentionClass];
    return rows.tables.totals(attentionClass, rows.first + skipped, rows.count - skipped);
  }
};

Graph::Graph(DeviceModel& model, const Workspace& workspace, const AttentionClasses& classes)
    : model_(model), workspace_(workspace), classes_(classes) {}

Status Graph::record(Dispatcher& work, const Rows& rows) const {
  kernels::EmbedJob embed;
  embed.tokens = &rows.inputs.tokens();
  embed.firstRow = rows.first;
  embed.rows = rows.count;
  embed.embedding = model_.embedding();
  embed.y = workspace_.hidden();
  ORTHROS_TRY(model_.embed().record(work, embed));
  const Span span(rows);
  for (uint32_t layer = 0; layer < model_.spec().layers; ++layer) ORTHROS_TRY(recordLayer(work, span, layer));
  return {};
}

uint64_t Graph::attentionPairs(const Rows& rows) const {
  const Span span(rows);
  const uint32_t last = model_.spec().layers - 1;
  uint64_t pairs = 0;
  for (uint32_t layer = 0; layer < last; ++layer) pairs += span.totals[classes_.ofLayer(layer)].pairs;
  if (rows.wanted == 0) return pairs;
  return pairs + span.totalsOf(classes_.ofLayer(last), rows.count - rows.wanted).pairs;
}

Status Graph::recordLayer(Dispatcher& work, const Span& span, uint32_t layer) const {
  ORTHROS_TRY(recordQkv(work, span, layer));
  const bool last = layer + 1 == model_.spec().layers;
  const uint32_t skipped = last ? span.rows.count - span.rows.wanted : 0;
  if (skipped == span.rows.count) return {};
  ORTHROS_TRY(recordAttention(work, span, layer, skipped));
  return recordFeedForward(work, span, layer, skipped);
}

// A product of normed rows: the norm is part of the product for few rows and an operation of its own for
// many.
Status Graph::recordProduct(Dispatcher& work, ProjectionJob job, const kernels::Vector& gain) const {
  const ModelSpec& spec = model_.spec();
  if (job.rows <= Projection::fewRows) {
    job.x = workspace_.hidden();
    job.norm = kernels::InputNorm{gain, spec.width, spec.normEpsilon};
    return model_.projection().record(work, job);
  }
  kernels::RmsNormJob norm;
  norm.layer = job.layer;
  norm.x = workspace_.hidden();
  norm.y = workspace_.normed().as(model_.rowsFormat(job.rows));
  norm.rows = job.rows;
  norm.xRow = norm.yRow = job.xRow;
  norm.gain = gain;
  norm.width = spec.width;
  norm.epsilon = spec.normEpsilon;
  ORTHROS_TRY(model_.rmsNorm().record(work, norm));
  job.x = norm.y;
  return model_.projection().record(work, job);
}

kernels::Activations Graph::queries(const Span& span) const {
  return workspace_.query().as(model_.rowsFormat(span.rows.count));
}

Status Graph::recordQkv(Dispatcher& work, const Span& span, uint32_t layer) const {
  const Rows& rows = span.rows;
  const LayerWeights& weights = model_.layer(layer);
  const kernels::QkvTarget target{rows.cache.layer(layer), rows.inputs.tables(),
                                  classes_.ofLayer(layer) * rows.tables.paddedRows, model_.shape().heads};
  ProjectionJob job;
  job.operation = "qkv";
  job.layer = static_cast<int32_t>(layer);
  job.matrix = weights.qkv;
  job.rows = rows.count;
  job.xRow = job.yRow = rows.first;
  if (model_.projection().fusesQkv(rows.count, model_.kvFormat())) {
    job.epilogue = Epilogue::qkv;
    job.y = queries(span);
    job.qkv = target;
    return recordProduct(work, job, weights.attentionNorm);
  }
  job.y = workspace_.joined();
  ORTHROS_TRY(recordProduct(work, job, weights.attentionNorm));
  return model_.rope().record(
      work, {job.layer, workspace_.joined(), queries(span), rows.first, rows.count, target});
}

Status Graph::recordAttention(Dispatcher& work, const Span& span, uint32_t layer, uint32_t skipped) const {
  const Rows& rows = span.rows;
  const uint32_t attentionClass = classes_.ofLayer(layer);
  kernels::AttentionJob job;
  job.layer = static_cast<int32_t>(layer);
  job.firstRow = rows.first + skipped;
  job.rows = rows.count - skipped;
  job.q = queries(span);
  job.y = workspace_.attended().as(model_.rowsFormat(job.rows));
  job.cache = rows.cache.layer(layer);
  job.tables = rows.inputs.tables();
  job.intervals = attentionClass * rows.tables.paddedRows;
  job.tiles = attentionClass * rows.tables.tilesPerClass;
  job.heads = model_.shape().heads;
  job.scale = model_.spec().attentionScale;
  const auto totals = span.totalsOf(attentionClass, skipped);
  job.pairs = totals.pairs;
  job.keysRead = totals.keysRead;
  job.partials = &workspace_.partials();
  job.arrivals = &workspace_.arrivals();
  ORTHROS_TRY(model_.attention().record(work, job));

  ProjectionJob output;
  output.operation = "output";
  output.layer = job.layer;
  output.matrix = model_.layer(layer).output;
  output.epilogue = Epilogue::residual;
  output.x = job.y;
  output.y = workspace_.hidden();
  output.rows = job.rows;
  output.xRow = output.yRow = job.firstRow;
  return model_.projection().record(work, output);
}

Status Graph::recordFeedForward(Dispatcher& work, const Span& span, uint32_t layer, uint32_t skipped) const {
  const LayerWeights& weights = model_.layer(layer);
  ProjectionJob gateUp;
  gateUp.operation = "gateUp";
  gateUp.layer = static_cast<int32_t>(layer);
  gateUp.matrix = weights.gateUp;
  gateUp.epilogue = Epilogue::swiglu;
  gateUp.rows = span.rows.count - skipped;
  gateUp.y = workspace_.gated().as(model_.rowsFormat(gateUp.rows));
  gateUp.xRow = gateUp.yRow = span.rows.first + skipped;
  ORTHROS_TRY(recordProduct(work, gateUp, weights.feedForwardNorm));

  ProjectionJob down = gateUp;
  down.operation = "down";
  down.matrix = weights.down;
  down.epilogue = Epilogue::residual;
  down.x = gateUp.y;
  down.y = workspace_.hidden();
  return model_.projection().record(work, down);
}

Status Graph::recordLogits(Dispatcher& work, uint32_t first, uint32_t count) const {
  ProjectionJob job;
  job.operation = "logits";
  job.matrix = model_.outputMatrix();
  job.epilogue = Epilogue::store;
  job.y = workspace_.logits();
  job.rows = count;
  job.xRow = first;
  return recordProduct(work, job, model_.outputNorm());
}

}  // namespace orthros::model
