// The fields of a RunRecord, listed once: writing and reading JSON both walk this list.
#pragma once

#include "engine/session/run_record.hpp"

namespace orthros::session {

// A visitor has field(name, value), laterField(name, value) for what records of older programs lack,
// object(name, function) for a nested object and list(name, vector, function) for a vector of objects; the
// functions take a visitor and, in a list, the element.
template <class Totals, class Visitor>
void visitTotals(Totals& totals, Visitor& visitor) {
  visitor.field("rows", totals.rows);
  visitor.laterField("discarded", totals.discarded);
  visitor.field("wallNs", totals.wallNs);
  visitor.field("deviceNs", totals.deviceNs);
  visitor.field("submits", totals.submits);
  visitor.laterField("longestSubmitNs", totals.longestSubmitNs);
}

template <class Counts, class Visitor>
void visitCounts(Counts& counts, Visitor& visitor) {
  visitor.field("dispatches", counts.dispatches);
  visitor.field("attentionPairs", counts.attentionPairs);
  visitor.field("flop", counts.flop);
  visitor.field("bytes", counts.bytes);
}

template <class Event, class Visitor>
void visitBatch(Event& event, Visitor& visitor) {
  visitor.field("phase", event.phase);
  visitor.field("firstRow", event.firstRow);
  visitor.field("rows", event.rows);
  visitor.field("beginNs", event.beginNs);
  visitor.field("endNs", event.endNs);
}

template <class Operation, class Visitor>
void visitOperation(Operation& operation, Visitor& visitor) {
  visitor.field("operation", operation.operation);
  visitor.field("phase", operation.phase);
  visitor.field("dispatches", operation.dispatches);
  visitor.field("deviceNs", operation.deviceNs);
  visitor.field("flop", operation.flop);
  visitor.field("bytes", operation.bytes);
}

template <class Record, class Visitor>
void visitSetUp(Record& record, Visitor& visitor) {
  visitor.field("version", record.version);
  visitor.field("program", record.program);
  visitor.field("startedAt", record.startedAt);
  visitor.object("model", [&](Visitor& v) {
    v.field("name", record.model.name);
    v.field("file", record.model.file);
    v.field("architecture", record.model.architecture);
    v.field("weights", record.model.weights);
    v.field("parameters", record.model.parameters);
    v.field("adapter", record.model.adapter);
  });
  visitor.object("device", [&](Visitor& v) {
    v.field("name", record.device.name);
    v.field("type", record.device.type);
    v.field("uuid", record.device.uuid);
    v.field("driver", record.device.driver);
  });
  visitor.object("plan", [&](Visitor& v) {
    v.field("name", record.plan.name);
    v.field("foreign", record.plan.foreign);
    v.field("definition", record.plan.definition);
  });
}

template <class Record, class Visitor>
void visitFigures(Record& record, Visitor& visitor) {
  visitor.object("lengths", [&](Visitor& v) {
    v.field("prompt", record.lengths.prompt);
    v.field("reused", record.lengths.reused);
    v.field("generated", record.lengths.generated);
    v.field("context", record.lengths.context);
    v.laterField("drafted", record.lengths.drafted);
    v.laterField("accepted", record.lengths.accepted);
  });
  visitor.object("ns", [&](Visitor& v) {
    v.field("load", record.ns.load);
    v.field("tokenise", record.ns.tokenise);
    v.field("firstToken", record.ns.firstToken);
    v.field("total", record.ns.total);
  });
  visitor.object("prefill", [&](Visitor& v) { visitTotals(record.prefill, v); });
  visitor.object("tail", [&](Visitor& v) { visitTotals(record.tail, v); });
  visitor.object("decode", [&](Visitor& v) { visitTotals(record.decode, v); });
  visitor.object("bytes", [&](Visitor& v) {
    v.field("weights", record.bytes.weights);
    v.field("kv", record.bytes.kv);
    v.field("workspace", record.bytes.workspace);
    v.field("budget", record.bytes.budget);
  });
  visitor.object("measured", [&](Visitor& v) { visitCounts(record.measured, v); });
  visitor.object("predicted", [&](Visitor& v) { visitCounts(record.predicted, v); });
  visitor.object("predictedTime", [&](Visitor& v) {
    v.field("prefillNs", record.predictedTime.prefillNs);
    v.field("tailNs", record.predictedTime.tailNs);
    v.field("decodeNs", record.predictedTime.decodeNs);
  });
}

template <class Record, class Visitor>
void visitRecord(Record& record, Visitor& visitor) {
  visitSetUp(record, visitor);
  visitFigures(record, visitor);
  visitor.list("batches", record.batches, [](auto& event, Visitor& v) { visitBatch(event, v); });
  visitor.list("operations", record.operations,
               [](auto& operation, Visitor& v) { visitOperation(operation, v); });
  visitor.field("answer", record.answer);
  visitor.field("finish", record.finish);
}

}  // namespace orthros::session
