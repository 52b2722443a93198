#include "engine/model/forward.hpp"

#include <algorithm>
#include <chrono>

namespace orthros::model {

using kernels::Epilogue;
using kernels::Projection;
using kernels::ProjectionJob;

struct Forward::Batch {
  KvCache& cache;
  uint32_t rows = 0;
  uint32_t wantedRows = 0;
  RowTableData tables;
  std::vector<RowTableData::Totals> totals = {};  // [class], of all rows
  uint64_t attentionPairs = 0;

  uint32_t firstWanted() const { return rows - wantedRows; }
};

Forward::Forward(std::shared_ptr<DeviceModel> model, const phase::PhasePlan& plan)
    : model_(std::move(model)), plan_(plan), classes_(plan) {}

Result<std::unique_ptr<Forward>> Forward::create(std::shared_ptr<DeviceModel> model,
                                                 const phase::PhasePlan& plan) {
  ORTHROS_TRY(phase::validate(plan, model->spec().layers, model->spec().contextTokens));
  std::unique_ptr<Forward> forward(new Forward(std::move(model), plan));
  ORTHROS_ASSIGN(forward->workspace_,
                 Workspace::create(*forward->model_, forward->maxBatchRows(), forward->classes_.count()));
  return forward;
}

Status Forward::check(const RowBatch& rows, size_t logits) const {
  const size_t count = rows.tokens.size();
  if (count == 0 || count > maxBatchRows() || rows.phases.size() != count || rows.wantedRows > count ||
      logits != size_t{rows.wantedRows} * model_->spec().vocabulary)
    return fail(ErrorCode::invalidArgument, "batch", "its rows, phases and logits do not fit together");
  for (const uint32_t token : rows.tokens)
    if (token >= model_->spec().vocabulary)
      return fail(ErrorCode::invalidArgument, "token " + std::to_string(token),
                  "is not one of the model's " + std::to_string(model_->spec().vocabulary));
  return {};
}

Result<BatchReport> Forward::run(KvCache& cache, const RowBatch& rows, std::span<float> logits,
                                 const CancelToken& cancel, bool tracing) {
  const auto start = std::chrono::steady_clock::now();
  ORTHROS_TRY(check(rows, logits.size()));
  ORTHROS_TRY(cache.reserve(static_cast<uint32_t>(rows.tokens.size())));
  kernels::WorkQueue& queue = model_->queue();
  ORTHROS_TRY(queue.setTracing(tracing));
  queue.setCancel(cancel);
  queue.takeReport();
  Batch batch{
      cache, static_cast<uint32_t>(rows.tokens.size()), rows.wantedRows,
      buildRowTables(classes_, cache.length(), rows.phases, model_->attention().tileRows(), ROW_PADDING)};
  for (uint32_t c = 0; c < classes_.count(); ++c) batch.totals.push_back(batch.tables.totals(c, 0));
  ORTHROS_TRY(workspace_->upload(rows.tokens, batch.tables, cache.length()));
  const Status done = execute(batch, logits);
  const Status finished = queue.finish();
  queue.setCancel({});
  ORTHROS_TRY(done);
  ORTHROS_TRY(finished);
  cache.advance(batch.rows);
  BatchReport report;
  report.work = queue.takeReport();
  report.attentionPairs = batch.attentionPairs;
  report.wallNs =
      static_cast<uint64_t>((std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1));
  return report;
}

Status Forward::execute(Batch& batch, std::span<float> logits) {
  ORTHROS_TRY(recordEmbedding(batch));
  for (uint32_t layer = 0; layer < model_->spec().layers; ++layer) ORTHROS_TRY(recordLayer(batch, layer));
  return computeLogits(batch, logits);
}

Status Forward::recordEmbedding(const Batch& batch) {
  kernels::EmbedJob job;
  job.tokens = &workspace_->tokens();
  job.rows = batch.rows;
  job.embedding = model_->embedding();
  job.y = workspace_->hidden();
  return model_->embed().record(model_->queue(), job);
}

Status Forward::recordLayer(Batch& batch, uint32_t layer) {
  ORTHROS_TRY(recordQkv(batch, layer));
  const bool last = layer + 1 == model_->spec().layers;
  const uint32_t firstRow = last ? batch.firstWanted() : 0;
  if (firstRow == batch.rows) return {};
  ORTHROS_TRY(recordAttention(batch, layer, firstRow));
  return recordFeedForward(batch, layer, firstRow);
}

// A product of normed rows: the norm is part of the product for few rows and an operation of its own for
// many.
Status Forward::recordProduct(ProjectionJob job, const kernels::Vector& gain) {
  const ModelSpec& spec = model_->spec();
  if (job.rows <= Projection::fewRows) {
    job.x = workspace_->hidden();
    job.norm = kernels::InputNorm{gain, spec.width, spec.normEpsilon};
    return model_->projection().record(model_->queue(), job);
  }
  kernels::RmsNormJob norm;
  norm.layer = job.layer;
  norm.x = workspace_->hidden();
  norm.y = workspace_->normed().as(model_->rowsFormat(job.rows));
  norm.rows = job.rows;
  norm.xRow = norm.yRow = job.xRow;
  norm.gain = gain;
  norm.width = spec.width;
  norm.epsilon = spec.normEpsilon;
  ORTHROS_TRY(model_->rmsNorm().record(model_->queue(), norm));
  job.x = norm.y;
  return model_->projection().record(model_->queue(), job);
}

kernels::Activations Forward::queries(const Batch& batch) const {
  return workspace_->query().as(model_->rowsFormat(batch.rows));
}

Status Forward::recordQkv(const Batch& batch, uint32_t layer) {
  const LayerWeights& weights = model_->layer(layer);
  const kernels::QkvTarget target{batch.cache.layer(layer), workspace_->tables(),
                                  classes_.ofLayer(layer) * batch.tables.paddedRows, model_->shape().heads};
  ProjectionJob job;
  job.operation = "qkv";
  job.layer = static_cast<int32_t>(layer);
  job.matrix = weights.qkv;
  job.rows = batch.rows;
  if (model_->projection().fusesQkv(batch.rows)) {
    job.epilogue = Epilogue::qkv;
    job.y = queries(batch);
    job.qkv = target;
    return recordProduct(job, weights.attentionNorm);
  }
  job.y = workspace_->joined();
  ORTHROS_TRY(recordProduct(job, weights.attentionNorm));
  return model_->rope().record(model_->queue(),
                               {job.layer, workspace_->joined(), queries(batch), batch.rows, target});
}

Status Forward::recordAttention(Batch& batch, uint32_t layer, uint32_t firstRow) {
  const uint32_t attentionClass = classes_.ofLayer(layer);
  kernels::AttentionJob job;
  job.layer = static_cast<int32_t>(layer);
  job.firstRow = firstRow;
  job.rows = batch.rows - firstRow;
  job.q = queries(batch);
  job.y = workspace_->attended().as(model_->rowsFormat(job.rows));
  job.cache = batch.cache.layer(layer);
  job.tables = workspace_->tables();
  job.intervals = attentionClass * batch.tables.paddedRows;
  job.tiles = attentionClass * batch.tables.tilesPerClass;
  job.heads = model_->shape().heads;
  job.scale = model_->spec().attentionScale;
  // All layers but the last compute all rows.
  const auto totals =
      firstRow == 0 ? batch.totals[attentionClass] : batch.tables.totals(attentionClass, firstRow);
  job.pairs = totals.pairs;
  job.keysRead = totals.keysRead;
  job.partials = &workspace_->partials();
  job.arrivals = &workspace_->arrivals();
  batch.attentionPairs += job.pairs;
  ORTHROS_TRY(model_->attention().record(model_->queue(), job));

  ProjectionJob output;
  output.operation = "output";
  output.layer = job.layer;
  output.matrix = model_->layer(layer).output;
  output.epilogue = Epilogue::residual;
  output.x = job.y;
  output.y = workspace_->hidden();
  output.rows = job.rows;
  output.xRow = output.yRow = firstRow;
  return model_->projection().record(model_->queue(), output);
}

Status Forward::recordFeedForward(const Batch& batch, uint32_t layer, uint32_t firstRow) {
  const LayerWeights& weights = model_->layer(layer);
  ProjectionJob gateUp;
  gateUp.operation = "gateUp";
  gateUp.layer = static_cast<int32_t>(layer);
  gateUp.matrix = weights.gateUp;
  gateUp.epilogue = Epilogue::swiglu;
  gateUp.rows = batch.rows - firstRow;
  gateUp.y = workspace_->gated().as(model_->rowsFormat(gateUp.rows));
  gateUp.xRow = gateUp.yRow = firstRow;
  ORTHROS_TRY(recordProduct(gateUp, weights.feedForwardNorm));

  ProjectionJob down = gateUp;
  down.operation = "down";
  down.matrix = weights.down;
  down.epilogue = Epilogue::residual;
  down.x = gateUp.y;
  down.y = workspace_->hidden();
  return model_->projection().record(model_->queue(), down);
}

Status Forward::computeLogits(const Batch& batch, std::span<float> logits) {
  const size_t vocabulary = model_->spec().vocabulary;
  for (uint32_t done = 0; done < batch.wantedRows;) {
    ProjectionJob job;
    job.operation = "logits";
    job.matrix = model_->outputMatrix();
    job.epilogue = Epilogue::store;
    job.y = workspace_->logits();
    job.rows = std::min(batch.wantedRows - done, Workspace::logitRows);
    job.xRow = batch.firstWanted() + done;
    ORTHROS_TRY(recordProduct(job, model_->outputNorm()));
    ORTHROS_TRY(model_->queue().finish());
    for (uint32_t row = 0; row < job.rows; ++row) {
      const auto target = logits.subspan((done + row) * vocabulary, vocabulary);
      ORTHROS_TRY(model_->transfer().download(*job.y.buffer, uint64_t{row} * job.y.stride * 4,
                                              std::as_writable_bytes(target)));
    }
    done += job.rows;
  }
  return {};
}

}  // namespace orthros::model
