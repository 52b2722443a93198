#include <gtest/gtest.h>

#include "engine/session/run_record.hpp"
#include "engine/session/run_recorder.hpp"

namespace orthros::session {
namespace {

RunRecord filledRecord() {
  RunRecord record;
  record.program = "orthros 0.1.0";
  record.startedAt = "2026-11-30T21:05:07Z";
  record.model = {"SmolLM2", "a.gguf", "llama", "4-bit", 134515008, "lora.gguf"};
  record.device = {"llvmpipe", "cpu", "0011", "llvmpipe 22.3"};
  record.plan.name = "orthros";
  record.plan.foreign = true;
  record.plan.definition = {{"prefill", {{"kind", "window"}, {"window", 512}}}};
  record.lengths = {3000, 12, 48, 8192};
  record.ns = {1, 2, 3, 18446744073709551615u};
  record.prefill = {2860, 8000000000, 7900000000, 40};
  record.tail = {128, 400000000, 0, 2};
  record.decode = {.rows = 47, .wallNs = 1000000000, .deviceNs = 5, .submits = 47, .discarded = 6};
  record.bytes = {98000000, 70000000, 9000000, 2147483648};
  record.measured = {10, 20, 30, 40};
  record.predicted = {11, 21, 31, 41};
  record.predictedTime = {5, 6, 7};
  record.batches = {{RunPhase::prefill, 12, 512, 100, 200}, {RunPhase::decode, 3000, 1, 300, 400}};
  record.operations = {{"attention", RunPhase::tail, 30, 1234, 5678, 9012}};
  record.answer = "KESTREL-7392, \"quoted\"\n– ünïcode";
  record.finish = "end";
  return record;
}

TEST(RunRecord, SurvivesJson) {
  const nlohmann::json json = toJson(filledRecord());
  const auto read = runRecordFromJson(nlohmann::json::parse(json.dump()));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(toJson(*read), json);
  EXPECT_EQ(read->ns.total, 18446744073709551615u);
  EXPECT_EQ(read->batches[1].phase, RunPhase::decode);
  EXPECT_EQ(read->measured, (EventCounts{10, 20, 30, 40}));
  EXPECT_EQ(read->plan.definition["prefill"]["window"], 512);
  EXPECT_EQ(read->answer, filledRecord().answer);
}

TEST(RunRecord, JsonHasEveryMemberAndTheRates) {
  const nlohmann::json json = toJson(filledRecord());
  for (const char* key : {"version", "program", "startedAt", "model", "device", "plan", "lengths", "ns",
                          "prefill", "tail", "decode", "bytes", "measured", "predicted", "predictedTime",
                          "batches", "operations", "answer", "finish"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_DOUBLE_EQ(json["prefill"]["tokensPerSecond"].get<double>(), 2860 / 8.0);
  EXPECT_EQ(toJson(RunRecord{})["decode"]["tokensPerSecond"], 0.0);
}

TEST(RunRecord, EveryMissingFieldIsNamed) {
  const nlohmann::json whole = toJson(filledRecord());
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json damaged = whole;
    damaged.erase(key);
    const auto read = runRecordFromJson(damaged);
    ASSERT_FALSE(read) << key;
    EXPECT_NE(read.error().subject.find(key), std::string::npos) << read.error().message();
  }
}

TEST(RunRecord, WrongTypesAreNamed) {
  const auto subjectAfter = [](const char* pointer, nlohmann::json value) {
    nlohmann::json damaged = toJson(filledRecord());
    damaged[nlohmann::json::json_pointer(pointer)] = std::move(value);
    const auto read = runRecordFromJson(damaged);
    return read ? std::string() : read.error().subject;
  };
  EXPECT_EQ(subjectAfter("/lengths/prompt", -1), "run record field lengths.prompt");
  EXPECT_EQ(subjectAfter("/lengths/prompt", "many"), "run record field lengths.prompt");
  EXPECT_EQ(subjectAfter("/lengths", 4), "run record field lengths");
  EXPECT_EQ(subjectAfter("/batches/1/phase", "sleep"), "run record field batches[1].phase");
  EXPECT_EQ(subjectAfter("/batches/0/rows", 4294967296), "run record field batches[0].rows");
  EXPECT_EQ(subjectAfter("/batches", nullptr), "run record field batches");
  EXPECT_EQ(subjectAfter("/plan/foreign", 1), "run record field plan.foreign");
  EXPECT_EQ(subjectAfter("/answer", 1.5), "run record field answer");
  EXPECT_EQ(subjectAfter("/version", 2), "run record");
  EXPECT_EQ(runRecordFromJson(nlohmann::json::array()).error().subject, "run record field ");
}

TEST(RunRecorder, AddsUpPhasesAndOperations) {
  RunRecorder recorder(RunRecord{});
  const RowReport report{.counts = {4, 100, 1000, 50},
                         .deviceNs = 7,
                         .submits = 2,
                         .longestSubmitNs = 9,
                         .operations = {{"attention", RunPhase::prefill, 3, 5, 600, 20},
                                        {"qkv", RunPhase::prefill, 1, 2, 400, 30}}};
  recorder.add({RunPhase::prefill, 0, 512}, {0, recorder.elapsedNs()}, report);
  recorder.add({RunPhase::prefill, 512, 10}, {recorder.elapsedNs(), recorder.elapsedNs()}, report);
  recorder.add({RunPhase::tail, 522, 8}, {recorder.elapsedNs(), recorder.elapsedNs()}, report);
  const RunRecord record = recorder.finish("end");
  EXPECT_EQ(record.prefill.rows, 522u);
  EXPECT_EQ(record.prefill.deviceNs, 14u);
  EXPECT_EQ(record.prefill.submits, 4u);
  EXPECT_EQ(record.prefill.longestSubmitNs, 9u);
  EXPECT_EQ(record.tail.rows, 8u);
  EXPECT_EQ(record.measured, (EventCounts{12, 300, 3000, 150}));
  ASSERT_EQ(record.operations.size(), 4u);
  EXPECT_EQ(record.operations[0].operation, "attention");
  EXPECT_EQ(record.operations[0].dispatches, 6u);
  EXPECT_EQ(record.operations[2].phase, RunPhase::tail);
  EXPECT_EQ(record.batches.size(), 3u);
  EXPECT_GE(record.ns.total, record.batches.back().endNs);
  EXPECT_EQ(record.finish, "end");
  EXPECT_EQ(record.startedAt.size(), 20u);
}

}  // namespace
}  // namespace orthros::session
