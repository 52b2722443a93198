#include "app/orthros-cli/model_options.hpp"

#include <map>

#include <CLI/CLI.hpp>

#include "engine/base/file.hpp"
#include "engine/documents/text_file.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::cli {
namespace {

const std::map<std::string, model::WeightPrecision> weightNames = {
    {"automatic", model::WeightPrecision::automatic},
    {"f16", model::WeightPrecision::f16},
    {"f32", model::WeightPrecision::f32}};
const std::map<std::string, model::KvPrecision> kvNames = {
    {"f16", model::KvPrecision::f16}, {"f32", model::KvPrecision::f32}, {"q8", model::KvPrecision::q8}};

constexpr uint64_t bytesPerMegabyte = 1'000'000;

std::string planNames() {
  std::string names;
  for (const phase::PresetInfo& preset : phase::presets())
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  return names;
}

}  // namespace

void ModelOptions::addFiles(CLI::App& app) {
  app.add_option("MODEL", model_, "A model file (GGUF), or \"default\": the shipped model with its adapter")
      ->required();
  auto* adapter =
      app.add_option("--adapter", adapter_,
                     "An adapter file (low-rank changes of the weights, GGUF) to merge into the model");
  app.add_flag("--no-adapter", noAdapter_,
               "Load the shipped model without its adapter, under the vanilla plan")
      ->excludes(adapter);
}

void ModelOptions::addPlan(CLI::App& app) {
  app.add_option(
      "--plan", plan_,
      "A plan file, or one of " + planNames() + "; the adapter's or model's own plan where not given");
}

void ModelOptions::addDevice(CLI::App& app) {
  app.add_option("--device", device_,
                 "The device, by the UUID that `orthros-cli devices` shows; the best one where not given");
  app.add_option("--context", context_,
                 "Tokens the cache can hold; as many as model and memory allow where not given")
      ->check(CLI::PositiveNumber);
  app.add_option("--weights", weights_, "Precision of the weights on the device; automatic follows the file")
      ->transform(CLI::IsMember(weightNames, CLI::ignore_case))
      ->capture_default_str();
  app.add_option("--kv", kv_, "Precision of the cached keys and values")
      ->transform(CLI::IsMember(kvNames, CLI::ignore_case))
      ->capture_default_str();
  app.add_option("--memory-budget", budgetMegabytes_,
                 "Megabytes of device memory to use; what the driver allows where not given")
      ->check(CLI::PositiveNumber);
  app.add_flag("--validation", validation_, "Check every Vulkan call with the validation layer (slow)");
}

Result<session::SetUp> ModelOptions::setUp() const {
  session::SetUp setUp;
  if (model_ == "default") {
    ORTHROS_ASSIGN(setUp, noAdapter_ ? session::baselineSetUp() : session::defaultSetUp());
  } else {
    setUp.model = model_;
  }
  if (!adapter_.empty()) setUp.adapter = adapter_;
  if (!plan_.empty()) setUp.plan = plan_;
  setUp.deviceUuid = device_;
  setUp.contextTokens = context_;
  setUp.weights = weightNames.at(weights_);
  setUp.kv = kvNames.at(kv_);
  setUp.memoryBudgetBytes = budgetMegabytes_ * bytesPerMegabyte;
  setUp.validation = validation_;
  return setUp;
}

void addSamplingOptions(CLI::App& app, session::Sampling& sampling) {
  app.add_option("--temperature", sampling.temperature,
                 "How freely tokens are drawn; 0 takes the likeliest each time")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--top-k", sampling.topK, "Draw from this many of the likeliest tokens; 0: from all")
      ->capture_default_str();
  app.add_option("--top-p", sampling.topP,
                 "Draw from the likeliest tokens that together have this probability")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--min-p", sampling.minP,
                 "Leave out tokens below this share of the likeliest one's probability")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--repetition-penalty", sampling.repetitionPenalty,
                 "Above 1 makes recent tokens less likely")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--repetition-window", sampling.repetitionWindow, "Tokens that count as recent")
      ->capture_default_str();
  app.add_option("--seed", sampling.seed, "The same seed gives the same draws")->capture_default_str();
  app.add_flag(
      "--prompt-lookup,!--no-prompt-lookup", sampling.promptLookup,
      "At temperature 0, guess tokens from the text before and check several at once, where that is faster "
      "(on by default); the answer is the same");
}

void TextOptions::add(CLI::App& app, bool required) {
  auto* text = app.add_option("--text", text_, "The text itself")->each([this](const std::string&) {
    textGiven_ = true;
  });
  app.add_option("--file", file_, "A file with the text")->excludes(text);
  if (!required) return;
  app.callback([this] {
    if (!given()) throw CLI::ValidationError("Exactly one of --text and --file is required");
  });
}

Result<std::string> TextOptions::read() const {
  if (textGiven_) return text_;
  return documents::readTextFile(file_);
}

Status LoadedCommand::open(const session::SetUp& setUp, const session::OpenOptions& options,
                           Console& console) {
  auto opened = session::OpenedModel::open(setUp, pool, speeds, options, console.progress(), console.cancel);
  console.bar.clear();
  if (!opened) return fail(std::move(opened).error());
  model = std::move(*opened);
  return {};
}

}  // namespace orthros::cli
