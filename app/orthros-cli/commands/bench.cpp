#include "engine/evaluate/bench.hpp"

#include <optional>

#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/model_options.hpp"
#include "app/orthros-cli/output.hpp"

namespace orthros::cli {
namespace {

class BenchCommand final : public Command {
 public:
  const char* name() const override { return "bench"; }
  const char* description() const override {
    return "Measure reading and answering speed under several plans";
  }

  void addOptions(CLI::App& app) override {
    model_.addFiles(app);
    model_.addDevice(app);
    app.add_option("--plans", plans_, "Plans to compare, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-p,--prefill", settings_.prefill, "Tokens to read at once, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-n,--generate", settings_.generate, "Tokens to answer one by one, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("-d,--depths", settings_.depths,
                   "Tokens in the cache before -p and -n begin, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option(
           "-w,--prompts", settings_.prompts,
           "Lengths of whole prompts, tail included, separated by commas; those of -p where not given")
        ->delimiter(',');
    app.add_flag("--limits", limits_,
                 "Measure first how fast the device multiplies and copies, and say what share of it each "
                 "test reaches");
    app.add_option("-r,--repeats", settings_.repeats, "Times that each test is measured")
        ->capture_default_str();
  }

  Status run(Console& console) override {
    if (settings_.prompts.empty()) settings_.prompts = settings_.prefill;
    ORTHROS_ASSIGN(const session::SetUp setUp, model_.setUp());
    LoadedCommand loaded;
    ORTHROS_TRY(loaded.open(setUp, {.tracing = false, .probe = true}, console));
    const session::OpenedModel& model = *loaded.model;
    settings_.plans.clear();
    for (const std::string& name : plans_) {
      ORTHROS_ASSIGN(phase::PhasePlan plan, model.choosePlan(name));
      settings_.plans.push_back(std::move(plan));
    }
    ORTHROS_TRY(checkContext(model));
    const auto newRunner = [&](const phase::PhasePlan& plan,
                               uint32_t context) -> Result<std::unique_ptr<session::RowRunner>> {
      return model.newRows(plan, context);
    };
    std::optional<evaluate::DeviceLimits> limits;
    if (limits_) {
      ORTHROS_ASSIGN(limits, evaluate::measureLimits(model.deviceModel(), console.cancel));
    }
    ORTHROS_ASSIGN(auto report, evaluate::runBench(newRunner, settings_, console.progress(), console.cancel));
    report.limits = limits;
    console.bar.clear();
    const session::RunRecord header = model.headerFor(model.plan());
    if (console.json) {
      nlohmann::json root = evaluate::toJson(report);
      const nlohmann::json described = session::toJson(header);
      for (const char* key : {"program", "model", "device"}) root[key] = described[key];
      root["repeats"] = settings_.repeats;
      printJson(root);
    } else {
      print(
          evaluate::toMarkdown(report, header.model.name + ", " + header.model.weights, header.device.name));
    }
    return {};
  }

 private:
  Status checkContext(const session::OpenedModel& model) const {
    const uint32_t longest = evaluate::longestTest(settings_);
    if (longest <= model.contextTokens()) return {};
    return fail(ErrorCode::tooLong, "the longest test",
                "needs " + std::to_string(longest) + " tokens, but the context holds " +
                    std::to_string(model.contextTokens()),
                "Choose shorter lengths (-p, -n, -w) or depths (-d), or a larger --context");
  }

  ModelOptions model_;
  bool limits_ = false;
  std::vector<std::string> plans_ = {"vanilla", "orthros"};
  evaluate::BenchSettings settings_{.plans = {},
                                    .prefill = {512},
                                    .generate = {64},
                                    .depths = {0},
                                    .prompts = {},
                                    .repeats = 3,
                                    .warmUp = std::chrono::milliseconds(800)};
};

}  // namespace

std::unique_ptr<Command> makeBenchCommand() {
  return std::make_unique<BenchCommand>();
}

}  // namespace orthros::cli
