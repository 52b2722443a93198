#include <cstdio>

#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/model_options.hpp"
#include "app/orthros-cli/output.hpp"
#include "app/orthros-cli/run_summary.hpp"
#include "engine/base/file.hpp"
#include "engine/documents/text_file.hpp"
#include "engine/session/model_slot.hpp"

namespace orthros::cli {
namespace {

class RunCommand final : public Command {
 public:
  const char* name() const override { return "run"; }
  const char* description() const override {
    return "Answer one question, about whole documents where given";
  }

  void addOptions(CLI::App& app) override {
    model_.addFiles(app);
    model_.addPlan(app);
    model_.addDevice(app);
    app.add_option("--prompt", prompt_, "The question")->required();
    app.add_option("--system", system_, "A system message before the conversation");
    app.add_option("--document", documents_,
                   "A text file put before the question; may be given several times");
    app.add_option("--max-tokens", request_.maxTokens, "Most tokens of the answer")->capture_default_str();
    app.add_option("--stop", request_.stops, "End the answer before this text; may be given several times");
    app.add_option("--record", recordFile_,
                   "Write what was measured and predicted (the run record, JSON) to this file");
    addSamplingOptions(app, request_.sampling);
  }

  Status run(Console& console) override {
    if (!system_.empty()) request_.turns.push_back({"system", system_});
    request_.turns.push_back({"user", prompt_});
    for (const std::string& path : documents_) {
      ORTHROS_ASSIGN(std::string text, documents::readTextFile(path));
      request_.documents.push_back(std::move(text));
    }
    ORTHROS_ASSIGN(const session::SetUp setUp, model_.setUp());
    session::SharedDevices shared;
    session::ModelSlot slot(shared);
    ORTHROS_ASSIGN(const session::LoadedModel loaded, slot.load(setUp, console.progress(), console.cancel));
    ORTHROS_ASSIGN(session::RunRecord record, slot.ask(request_, eventsFor(console), console.cancel));
    console.bar.clear();
    if (!recordFile_.empty())
      ORTHROS_TRY(writeFileAtomically(recordFile_, jsonText(session::toJson(record))));
    if (console.json) {
      printJson(session::toJson(record));
    } else {
      print("");
      std::fprintf(stderr, "%s, %s on %s: %s\n", loaded.name.c_str(), loaded.planText.c_str(),
                   loaded.deviceName.c_str(), summaryOf(record).c_str());
    }
    if (record.finish == "cancelled") return fail(ErrorCode::cancelled, "run", "was cancelled");
    return {};
  }

 private:
  static session::SessionEvents eventsFor(Console& console) {
    session::SessionEvents events;
    events.progress = console.progress();
    if (console.json) return events;
    events.text = [&console](const std::string& piece) {
      console.bar.clear();
      std::fwrite(piece.data(), 1, piece.size(), stdout);
      std::fflush(stdout);
    };
    return events;
  }

  ModelOptions model_;
  std::string prompt_;
  std::string system_;
  std::vector<std::string> documents_;
  std::string recordFile_;
  session::AskRequest request_;
};

}  // namespace

std::unique_ptr<Command> makeRunCommand() {
  return std::make_unique<RunCommand>();
}

}  // namespace orthros::cli
