// Memory planning, the shipped model's manifest, and what is learnt about a device's speed.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "engine/phase/intervals.hpp"
#include "engine/phase/presets.hpp"
#include "engine/session/manifest.hpp"
#include "engine/session/memory_plan.hpp"
#include "engine/session/predictor.hpp"
#include "engine/session/speed_book.hpp"

namespace orthros::session {
namespace {

constexpr MemoryNeeds needs{.weights = 100'000'000, .workspace = 20'000'000, .kvPerToken = 50'000};

TEST(PlanContext, TakesTheModelsContextWhereItFits) {
  EXPECT_EQ(planContext(needs, 1'000'000'000, 0, 8192).value(), 8192u);
  EXPECT_EQ(planContext(needs, 1'000'000'000, 4000, 8192).value(), 4000u);
}

TEST(PlanContext, TakesWhatFitsWhereNothingWasAsked) {
  // 880 MB are left for 50 kB per token.
  EXPECT_EQ(planContext(needs, 1'000'000'000, 0, 131072).value(), 17600u);
  EXPECT_EQ(planContext(needs, 1'000'000'000, 17600, 131072).value(), 17600u);
}

TEST(PlanContext, TooLargeNamesTheLargestThatFits) {
  const auto planned = planContext(needs, 1'000'000'000, 17601, 131072);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, ErrorCode::outOfMemory);
  EXPECT_NE(planned.error().nextStep.find("17600"), std::string::npos) << planned.error().message();
  EXPECT_NE(planned.error().happened.find("1000 MB"), std::string::npos) << planned.error().message();
}

TEST(PlanContext, WeightsThatDoNotFitAreSaid) {
  const auto planned = planContext(needs, 90'000'000, 0, 8192);
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, ErrorCode::outOfMemory);
  EXPECT_NE(planned.error().nextStep.find("smaller model"), std::string::npos);
  EXPECT_FALSE(planContext(needs, 120'000'000 + 255 * 50'000, 0, 8192)) << "less than any useful context";
  EXPECT_EQ(planContext(needs, 120'000'000 + 256 * 50'000, 0, 8192).value(), 256u);
}

TEST(PlanContext, BeyondTheModelIsAnError) {
  EXPECT_EQ(planContext(needs, 1'000'000'000, 8193, 8192).error().code, ErrorCode::invalidArgument);
}

TEST(PlanContext, HugeNumbersDoNotWrap) {
  const MemoryNeeds huge{.weights = UINT64_MAX - 5, .workspace = 100, .kvPerToken = UINT64_MAX / 2};
  EXPECT_FALSE(planContext(huge, UINT64_MAX, 4096, 8192));
}

TEST(Manifest, TheShippedOneIsComplete) {
  const auto manifest = readManifest();
  ASSERT_TRUE(manifest) << manifest.error().message();
  EXPECT_EQ(manifest->base.bytes, 98362432u);
  EXPECT_EQ(manifest->base.sha256, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53");
  EXPECT_EQ(manifest->base.licence, "Apache-2.0");
  EXPECT_TRUE(manifest->adapter.file.ends_with(".gguf"));
}

TEST(Manifest, DamageIsNamed) {
  const std::string good = R"({"version":1,"default":{"name":"n","plan":"",
    "base":{"file":"b","bytes":1,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","licence":"l"},
    "adapter":{"file":"a","bytes":1,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","licence":"l"}}})";
  ASSERT_TRUE(parseManifest(good)) << parseManifest(good).error().message();
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto parsed = parseManifest(text);
    return parsed ? std::string("accepted") : parsed.error().subject;
  };
  EXPECT_EQ(changed("\"version\":1", "\"version\":2"), "manifest.json field version");
  EXPECT_EQ(changed("\"file\":\"b\"", "\"file\":\"../b\""), "manifest.json field base.file");
  EXPECT_EQ(changed("\"file\":\"a\"", "\"file\":\"\""), "manifest.json field adapter.file");
  EXPECT_EQ(changed("\"bytes\":1", "\"bytes\":\"one\""), "manifest.json field base");
  EXPECT_EQ(changed("0000\"", "000x\""), "manifest.json field base.sha256");
  EXPECT_EQ(changed("\"default\"", "\"other\""), "manifest.json field default");
  EXPECT_EQ(changed("\"plan\":\"\",", ""), "manifest.json field default");
  EXPECT_EQ(parseManifest("[]").error().subject, "manifest.json");
  EXPECT_EQ(parseManifest("{").error().subject, "manifest.json");
}

TEST(Manifest, LocateTellsWhatToDo) {
  const auto folder = std::filesystem::temp_directory_path();
  ManifestFile file{.file = "orthros-manifest-test.bin", .bytes = 4, .sha256 = {}, .licence = {}};
  std::filesystem::remove(folder / file.file);
  const auto missing = locate(folder, file, "Run app/run.sh, which fetches it");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::notFound);
  EXPECT_EQ(missing.error().nextStep, "Run app/run.sh, which fetches it");
  std::ofstream(folder / file.file) << "123";
  EXPECT_EQ(locate(folder, file, "Fetch it").error().nextStep, "Delete it. Fetch it");
  std::ofstream(folder / file.file) << "1234";
  EXPECT_EQ(locate(folder, file, "Fetch it").value(), folder / file.file);
  std::filesystem::remove(folder / file.file);
}

// A traced run: 1 TFLOP of products at 1 TFLOP/s, 0.1 TFLOP of attention at 0.5 TFLOP/s, 10 GB at 100 GB/s.
RunRecord tracedRun() {
  RunRecord record;
  record.device.uuid = "gpu";
  record.operations = {{"qkv", RunPhase::prefill, 30, 1'000'000'000, 1'000'000'000'000, 1},
                       {"attention", RunPhase::prefill, 30, 200'000'000, 100'000'000'000, 1},
                       {"qkv", RunPhase::decode, 30, 100'000'000, 1, 10'000'000'000}};
  record.batches = {{RunPhase::prefill, 0, 512, 0, 0}, {RunPhase::decode, 512, 1, 0, 0}};
  record.prefill = {512, 1'200'000'000, 1'200'000'000, 3};
  record.decode = {1, 100'000'000, 100'000'000, 1};
  return record;
}

TEST(SpeedBook, LearnsRatesPerDevice) {
  SpeedBook book;
  book.learn(tracedRun());
  const cost::DeviceRates rates = book.rates("gpu");
  EXPECT_NEAR(rates.matmulFlops, 1e12, 1e10);
  EXPECT_NEAR(rates.attentionFlops, 0.5e12, 1e10);
  EXPECT_NEAR(rates.copyBytes, 100e9, 1e9);
  EXPECT_EQ(book.rates("other"), cost::DeviceRates{});
}

TEST(SpeedBook, CountsTheTimeBetweenDispatches) {
  RunRecord slow = tracedRun();
  slow.prefill.wallNs *= 2;
  SpeedBook book;
  book.learn(slow);
  EXPECT_NEAR(book.rates("gpu").matmulFlops, 0.5e12, 1e10);
}

TEST(SpeedBook, AnUntracedRunTeachesNothing) {
  RunRecord untraced = tracedRun();
  untraced.operations.clear();
  SpeedBook book;
  book.learn(untraced);
  EXPECT_EQ(book.rates("gpu"), cost::DeviceRates{});
}

TEST(Predictor, CountsTheBatchesOfARecord) {
  const cost::ModelShape shape{.layers = 2,
                               .width = 64,
                               .heads = 4,
                               .kvHeads = 2,
                               .headSize = 16,
                               .feedForward = 128,
                               .vocabulary = 300,
                               .weightBytes = 100'000};
  const auto plan = phase::preset("orthros", 2, {.window = 16, .sinks = 2, .tail = 10, .fullMax = 0});
  auto book = std::make_shared<SpeedBook>();
  const Predictor predictor(shape, cost::graphFactsFor(shape), "gpu", book);
  phase::PhaseSpans spans;
  spans.appendSegment(*plan, 100);
  spans.append({100, 101, phase::Phase::decode});
  RunRecord record;
  record.lengths.prompt = 100;
  record.batches = {
      {RunPhase::prefill, 0, 90, 0, 0}, {RunPhase::tail, 90, 10, 0, 0}, {RunPhase::decode, 100, 1, 0, 0}};
  predictor.fill(*plan, spans, record);
  EXPECT_GT(record.predicted.dispatches, 0u);
  // The first layer's pairs of all rows; in the last one only rows whose logits are wanted attend.
  uint64_t pairs = 0;
  for (const phase::PhaseSpan& span : spans.spans())
    pairs += phase::countPairs(plan->attention(0, span.phase), span.begin, span.end);
  EXPECT_EQ(record.predicted.attentionPairs, pairs + 100 + 101);
  // Rows of guessed tokens give a token each; those that were not kept are predicted too.
  record.batches.back().rows = 4;
  predictor.fill(*plan, spans, record);
  EXPECT_EQ(record.predicted.attentionPairs, pairs - 101 + 100 + 2 * (101 + 102 + 103 + 104));
  record.batches.back().rows = 1;
  EXPECT_EQ(record.predictedTime.prefillNs, 0u) << "no rate is known";
  EXPECT_EQ(predictor.readingNs(*plan, spans, 0, 64), 0u);
  book->learn(tracedRun());
  predictor.fill(*plan, spans, record);
  EXPECT_GT(record.predictedTime.prefillNs, 0u);
  EXPECT_GT(record.predictedTime.decodeNs, 0u);
  EXPECT_GT(predictor.readingNs(*plan, spans, 0, 64), predictor.readingNs(*plan, spans, 90, 64));
}

}  // namespace
}  // namespace orthros::session
