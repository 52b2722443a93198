#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/model_options.hpp"
#include "app/orthros-cli/output.hpp"
#include "app/orthros-cli/run_summary.hpp"
#include "engine/documents/text_file.hpp"
#include "engine/session/model_slot.hpp"

namespace orthros::cli {
namespace {

constexpr const char* help =
    "Lines that begin with a slash are commands: /document FILE adds a document to the next question, /new "
    "begins a\n"
    "new conversation, /quit ends. Ctrl+C stops an answer.";

class ChatCommand final : public Command {
 public:
  const char* name() const override { return "chat"; }
  const char* description() const override { return "Talk with a model; every line is a question"; }

  void addOptions(CLI::App& app) override {
    model_.addFiles(app);
    model_.addPlan(app);
    model_.addDevice(app);
    app.add_option("--system", system_, "A system message before the conversation");
    app.add_option("--max-tokens", request_.maxTokens, "Most tokens of an answer")->capture_default_str();
    addSamplingOptions(app, request_.sampling);
  }

  Status run(Console& console) override {
    ORTHROS_ASSIGN(const session::SetUp setUp, model_.setUp());
    session::SharedDevices shared;
    session::ModelSlot slot(shared);
    ORTHROS_ASSIGN(const session::LoadedModel loaded, slot.load(setUp, console.progress(), console.cancel));
    console.bar.clear();
    if (inputIsTerminal())
      std::fprintf(stderr, "%s, %s, on %s\n%s\n", loaded.name.c_str(), loaded.planText.c_str(),
                   loaded.deviceName.c_str(), help);
    startOver();
    for (std::string line; readLine(line);) {
      if (line == "/quit") break;
      if (line.empty() || takeCommand(line)) continue;
      ORTHROS_TRY(answer(slot, line, console));
    }
    return {};
  }

 private:
  static bool readLine(std::string& line) {
    if (inputIsTerminal()) {
      std::fputs("> ", stderr);
      std::fflush(stderr);
    }
    return static_cast<bool>(std::getline(std::cin, line));
  }

  void startOver() {
    request_.turns.clear();
    documents_.clear();
    if (!system_.empty()) request_.turns.push_back({"system", system_});
  }

  // Whether the line was a command rather than a question.
  bool takeCommand(const std::string& line) {
    constexpr std::string_view documentCommand = "/document ";
    if (line == "/new") {
      startOver();
    } else if (line.starts_with(documentCommand)) {
      auto text = documents::readTextFile(line.substr(documentCommand.size()));
      if (text) {
        documents_ += *text + "\n\n";
      } else {
        printError(text.error());
      }
    } else if (line.front() == '/') {
      std::fprintf(stderr, "%s\n", help);
    } else {
      return false;
    }
    return true;
  }

  // An answer that fails is told; only a lost terminal or a broken engine ends the conversation.
  Status answer(session::ModelSlot& slot, const std::string& question, Console& console) {
    const CancelToken cancel;
    cancelOnInterrupt(cancel);
    request_.turns.push_back({"user", documents_ + question});
    session::SessionEvents events;
    events.progress = console.progress();
    if (!console.json) {
      events.text = [&console](const std::string& piece) {
        console.bar.clear();
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        std::fflush(stdout);
      };
    }
    const auto record = slot.ask(request_, events, cancel);
    console.bar.clear();
    cancelOnInterrupt(console.cancel);
    if (!record) {
      request_.turns.pop_back();
      printError(record.error());
      return {};
    }
    documents_.clear();
    request_.turns.push_back({"assistant", record->answer});
    if (console.json) {
      printJson(session::toJson(*record));
    } else {
      print("");
      std::fprintf(stderr, "(%s)\n", summaryOf(*record).c_str());
    }
    return {};
  }

  ModelOptions model_;
  std::string system_;
  std::string documents_;  // for the next question
  session::AskRequest request_;
};

}  // namespace

std::unique_ptr<Command> makeChatCommand() {
  return std::make_unique<ChatCommand>();
}

}  // namespace orthros::cli
