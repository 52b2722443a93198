// Device memory that runs out while a model loads or a conversation grows: a named error, and nothing lost.
#include "engine/phase/presets.hpp"
#include "tests/property/device_model_fixture.hpp"
#include "tests/support/refused_allocation.hpp"

namespace orthros::test {
namespace {

class DeviceFailureTest : public DeviceModelTest {
 protected:
  void SetUp() override { openDevice({.mayAllocate = allocation_.hook()}); }

  static model::SynthOptions smallModel() {
    model::SynthOptions options;
    options.format = gguf::Format::q8_0;
    return options;
  }

  Result<std::shared_ptr<model::DeviceModel>> loadSmall(const gguf::File& file) {
    allocation_.seen = 0;
    return model::DeviceModel::load(device_, file, nullptr, {}, {}, {});
  }

  void expectRefusal(const Error& error) const {
    EXPECT_EQ(error.code, ErrorCode::outOfMemory) << error.message();
    EXPECT_EQ(error.subject, allocation_.name);
    EXPECT_FALSE(error.nextStep.empty()) << error.message();
  }

  RefusedAllocation allocation_;
};

TEST_F(DeviceFailureTest, AnyAllocationOfLoadingMayFail) {
  const auto bytes = must(model::synthBytes(smallModel()));
  const gguf::File file = must(gguf::File::parse(bytes, "generated model"));
  must(loadSmall(file));
  const int total = allocation_.seen;
  ASSERT_GE(total, 3);
  for (allocation_.failing = 1; allocation_.failing <= total; ++allocation_.failing) {
    const auto loaded = loadSmall(file);
    ASSERT_FALSE(loaded) << "allocation " << allocation_.failing;
    expectRefusal(loaded.error());
    EXPECT_EQ(device_->allocatedBytes(), 0u) << allocation_.name;
  }
  allocation_.failing = 0;
  EXPECT_TRUE(loadSmall(file));
}

TEST_F(DeviceFailureTest, BiasesThatNoKernelAddsAreRefusedBeforeAnythingIsAllocated) {
  model::SynthOptions options = smallModel();
  options.qkvBias = true;
  const auto bytes = must(model::synthBytes(options));
  const gguf::File file = must(gguf::File::parse(bytes, "generated model"));
  const auto loaded = loadSmall(file);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::unsupported);
  EXPECT_EQ(loaded.error().subject, "generated model");
  EXPECT_NE(loaded.error().happened.find("biases"), std::string::npos) << loaded.error().message();
  EXPECT_FALSE(loaded.error().nextStep.empty());
  EXPECT_EQ(allocation_.seen, 0);
}

TEST_F(DeviceFailureTest, AWorkspaceThatDoesNotFitIsNamed) {
  load(smallModel(), flavours().front());
  const auto plan = *phase::preset("vanilla", model_->spec().layers);
  const uint64_t before = device_->allocatedBytes();
  allocation_.seen = 0;
  forwardFor(plan);
  const int total = allocation_.seen;
  ASSERT_GT(total, 3);
  for (allocation_.failing = 1; allocation_.failing <= total; ++allocation_.failing) {
    allocation_.seen = 0;
    const auto forward = model::Forward::create(model_, plan);
    ASSERT_FALSE(forward) << "allocation " << allocation_.failing;
    expectRefusal(forward.error());
    EXPECT_EQ(device_->allocatedBytes(), before);
  }
}

TEST_F(DeviceFailureTest, ACacheThatCannotGrowKeepsItsRows) {
  load(smallModel(), flavours().front());
  const auto plan = *phase::preset("vanilla", model_->spec().layers);
  const auto forward = forwardFor(plan);
  const auto rows = tokens(model::KvCache::pageRows + 40);
  const std::vector<phase::Phase> phases(rows.size(), phase::Phase::decode);
  const auto cache = newCache();
  runRows(*forward, *cache, std::span(rows).first(200), std::span(phases).first(200), 100);
  const auto content = must(cache->read());
  const uint64_t held = cache->allocatedBytes();

  // The first and the last of the new page's buffers are refused.
  const int perPage = static_cast<int>(2 * model_->spec().layers);
  for (const int refused : {1, perPage}) {
    allocation_.seen = 0;
    allocation_.failing = refused;
    std::vector<float> logits(model_->spec().vocabulary);
    const auto outcome =
        forward->run(*cache, {std::span(rows).last(96), std::span(phases).last(96), 1}, logits, {});
    allocation_.failing = 0;
    ASSERT_FALSE(outcome);
    expectRefusal(outcome.error());
    EXPECT_EQ(cache->length(), 200u);
    EXPECT_EQ(must(cache->read()), content);
    EXPECT_EQ(cache->capacity(), model::KvCache::pageRows);
    EXPECT_EQ(cache->allocatedBytes(), held) << "layers that had grown keep memory";
  }
  runRows(*forward, *cache, std::span(rows).last(96), std::span(phases).last(96), 96);
  EXPECT_EQ(cache->length(), rows.size());
}

TEST_F(DeviceFailureTest, ARowPastTheLimitIsRefusedBeforeAnyWork) {
  load(smallModel(), flavours().front());
  const auto plan = *phase::preset("vanilla", model_->spec().layers);
  const auto forward = forwardFor(plan);
  const auto cache = newCache(100);
  const auto rows = tokens(101);
  const std::vector<phase::Phase> phases(rows.size(), phase::Phase::decode);
  std::vector<float> logits(model_->spec().vocabulary);
  const auto outcome = forward->run(*cache, {rows, phases, 1}, logits, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::tooLong);
  EXPECT_NE(outcome.error().message().find("100"), std::string::npos) << outcome.error().message();
  EXPECT_EQ(cache->length(), 0u);
}

}  // namespace
}  // namespace orthros::test
