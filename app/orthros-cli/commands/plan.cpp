#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/model_options.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/cost/prediction.hpp"
#include "engine/phase/describe.hpp"
#include "engine/phase/plan_json.hpp"
#include "engine/phase/spans_json.hpp"

namespace orthros::cli {
namespace {

class PlanCommand final : public Command {
 public:
  const char* name() const override { return "plan"; }
  const char* description() const override {
    return "Predict work, time and memory of a prompt under a plan";
  }

  void addOptions(CLI::App& app) override {
    model_.addFiles(app);
    model_.addPlan(app);
    model_.addDevice(app);
    app.add_option("--length", length_, "Length of the prompt in tokens")
        ->required()
        ->check(CLI::PositiveNumber);
  }

  Status run(Console& console) override {
    ORTHROS_ASSIGN(const session::SetUp setUp, model_.setUp());
    LoadedCommand loaded;
    ORTHROS_TRY(loaded.open(setUp, {}, console));
    const session::OpenedModel& model = *loaded.model;
    const session::Segment segment{std::vector<text::TokenId>(length_), false};
    const phase::PhaseSpans spans = session::layOut(model.plan(), {&segment, 1}).spans;
    const nlohmann::json root = predict(model, spans);
    if (root["pairs"]["closedForm"] != root["pairs"]["rowByRow"]) {
      return fail(ErrorCode::internal, "allowed pairs", "differ between the two ways of counting",
                  "Report this as a fault of the program");
    }
    if (console.json) {
      printJson(root);
    } else {
      show(root);
    }
    return {};
  }

 private:
  nlohmann::json predict(const session::OpenedModel& model, const phase::PhaseSpans& spans) const {
    const phase::PhasePlan& plan = model.plan();
    const cost::ModelShape& shape = model.predictor().shape();
    const cost::Prediction prefill = cost::predictPrefill(shape, plan, spans.spans());
    const cost::Prediction decode = cost::predictDecode(shape, plan, length_ + 1);
    const uint32_t maxRows = model.deviceModel().maxBatchRows();
    const uint64_t workspace = model.headerFor(plan).bytes.workspace;
    const cost::MemoryPrediction memory = cost::predictMemory(shape, length_, workspace);
    const auto decodeTime = cost::decodeNs(decode, model.predictor().rates());
    return {{"plan", phase::toJson(plan)},
            {"description", phase::describe(plan)},
            {"length", length_},
            {"spans", phase::toJson(spans)},
            {"device", model.headerFor(plan).device.name},
            {"pairs",
             {{"closedForm", cost::pairsInClosedForm(plan, spans.spans())},
              {"rowByRow", cost::pairsRowByRow(plan, spans.spans())}}},
            {"prefill",
             {{"flop", prefill.flop()},
              {"matmulFlop", prefill.matmulFlop},
              {"attentionFlop", prefill.attentionFlop},
              {"bytes", prefill.bytes},
              {"ns", model.predictor().readingNs(plan, spans, 0, maxRows)}}},
            {"decodeOneToken",
             {{"flop", decode.flop()},
              {"bytes", decode.bytes},
              {"ns", decodeTime ? static_cast<uint64_t>(*decodeTime) : 0}}},
            {"memory",
             {{"weights", memory.weights},
              {"kv", memory.kv},
              {"workspace", memory.workspace},
              {"total", memory.total()}}},
            {"largestContext", model.contextTokens()}};
  }

  static void show(const nlohmann::json& root) {
    const auto work = [&](const char* key) {
      const nlohmann::json& part = root[key];
      const auto ns = part["ns"].get<uint64_t>();
      return scaledText(part["flop"].get<double>()) + "FLOP, " + bytesText(part["bytes"].get<uint64_t>()) +
             (ns > 0 ? ", about " + durationText(ns) + " on this device (modelled)" : std::string());
    };
    const auto memory = [&](const char* key) { return bytesText(root["memory"][key].get<uint64_t>()); };
    print(root["description"].get<std::string>() + ", " + std::to_string(root["length"].get<uint64_t>()) +
          " tokens, on " + root["device"].get<std::string>());
    print("allowed pairs     " + root["pairs"]["closedForm"].dump() + " in closed form, " +
          root["pairs"]["rowByRow"].dump() + " row by row");
    print("reading           " + work("prefill"));
    print("one answer token  " + work("decodeOneToken"));
    print("memory            " + memory("total") + ": weights " + memory("weights") + ", cache " +
          memory("kv") + ", workspace " + memory("workspace"));
  }

  ModelOptions model_;
  uint32_t length_ = 0;
};

}  // namespace

std::unique_ptr<Command> makePlanCommand() {
  return std::make_unique<PlanCommand>();
}

}  // namespace orthros::cli
