// What a command needs from the terminal: how to print, how far long work is, and whether the person
// cancelled.
#pragma once

#include "app/orthros-cli/progress_bar.hpp"
#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"

namespace orthros::cli {

struct Console {
  bool json = false;
  CancelToken cancel;
  ProgressBar bar{false};

  ProgressCallback progress() {
    return [this](const Progress& progress) { bar.update(progress); };
  }
};

// From now on the first Ctrl+C raises `cancel` and the second one ends the program.
void cancelOnInterrupt(const CancelToken& cancel);
bool errorsGoToTerminal();
bool inputIsTerminal();
// "orthros-cli: message" on stderr.
void printError(const Error& error);

}  // namespace orthros::cli
