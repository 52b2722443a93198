// What every command of orthros-cli is.
#pragma once

#include <memory>
#include <vector>

#include "app/orthros-cli/console.hpp"
#include "engine/base/result.hpp"

namespace CLI {
class App;
}

namespace orthros::cli {

class Command {
 public:
  virtual ~Command() = default;
  virtual const char* name() const = 0;
  virtual const char* description() const = 0;
  // Combinations that are never right throw CLI::ValidationError from a callback: usage errors, exit code 2.
  virtual void addOptions(CLI::App& app) = 0;
  virtual Status run(Console& console) = 0;
};

std::unique_ptr<Command> makeDevicesCommand();
std::unique_ptr<Command> makeInspectCommand();
std::unique_ptr<Command> makeTokenizeCommand();
std::unique_ptr<Command> makeLogitsCommand();
std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makeChatCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makePlanCommand();
std::unique_ptr<Command> makeSynthCommand();
std::unique_ptr<Command> makeSelftestCommand();

}  // namespace orthros::cli
