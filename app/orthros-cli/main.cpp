// orthros-cli: every feature of the engine without a window. Exit codes: 0, 1 failed, 2 usage.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "app/orthros-cli/command.hpp"
#include "engine/session/version.hpp"

namespace orthros::cli {
namespace {

constexpr int failed = 1;
constexpr int usage = 2;

std::vector<std::unique_ptr<Command>> allCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(makeDevicesCommand());
  commands.push_back(makeInspectCommand());
  commands.push_back(makeTokenizeCommand());
  commands.push_back(makeLogitsCommand());
  commands.push_back(makeRunCommand());
  commands.push_back(makeChatCommand());
  commands.push_back(makeBenchCommand());
  commands.push_back(makePlanCommand());
  commands.push_back(makeSynthCommand());
  commands.push_back(makeSelftestCommand());
  return commands;
}

// Log lines go to stderr, so that stdout holds results only.
void setUpLog(bool verbose) {
  auto logger =
      std::make_shared<spdlog::logger>("orthros", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("orthros-cli: %l: %v");
  logger->set_level(verbose ? spdlog::level::debug : spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

Status runGuarded(Command& command, Console& console) {
  try {
    return command.run(console);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::outOfMemory, "main memory", "is used up", "Close other programs and try again");
  } catch (const std::exception& exception) {
    return fail(ErrorCode::internal, command.name(), exception.what(),
                "Report this as a fault of the program");
  }
}

// Wrong usage in the form of every other failure: what is wrong, then the next step.
std::string usageMessage(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  const std::vector<std::string> unknown = app->remaining();
  std::string happened = error.what();
  if (chosen.empty() && error.get_name() == "RequiredError")
    happened = unknown.empty() ? "A command is missing" : unknown.front() + " is not a command";
  const std::string command = chosen.empty() ? std::string() : " " + chosen.front()->get_name();
  return "orthros-cli: " + happened + ". `orthros-cli" + command + " --help` lists the " +
         (chosen.empty() ? "commands" : "options") + ".\n";
}

int runProgram(int count, char** arguments) {
  CLI::App app("Runs language models (GGUF files) with phase-aware attention.", "orthros-cli");
  app.set_version_flag("--version", session::programVersion());
  app.require_subcommand(1);
  app.failure_message(usageMessage);
  Console console;
  bool showProgress = false, verbose = false;
  app.add_flag("--json", console.json, "Print results as JSON");
  app.add_flag("--progress", showProgress, "Show progress even where the error output is no terminal");
  app.add_flag("--verbose", verbose, "Log each step to the error output");
  const auto commands = allCommands();
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->description());
    sub->fallthrough();
    command->addOptions(*sub);
  }
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  }
  setUpLog(verbose);
  console.bar = ProgressBar(showProgress || errorsGoToTerminal());
  cancelOnInterrupt(console.cancel);
  for (const auto& command : commands) {
    if (!app.got_subcommand(command->name())) continue;
    const Status status = runGuarded(*command, console);
    console.bar.clear();
    if (status) return 0;
    printError(status.error());
    return failed;
  }
  return usage;
}

}  // namespace
}  // namespace orthros::cli

int main(int count, char** arguments) {
  return orthros::cli::runProgram(count, arguments);
}
