#include "app/orthros-cli/console.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>

#include <unistd.h>

namespace orthros::cli {
namespace {

// Read by the signal handler; a token's flag is a lock-free atomic.
std::atomic<const CancelToken*> interrupted{nullptr};

void onInterrupt(int signal) {
  std::signal(signal, SIG_DFL);
  if (const CancelToken* token = interrupted.load()) token->cancel();
}

}  // namespace

void cancelOnInterrupt(const CancelToken& cancel) {
  static CancelToken token;
  token = cancel;
  interrupted.store(&token);
  std::signal(SIGINT, onInterrupt);
}

bool errorsGoToTerminal() {
  return isatty(STDERR_FILENO) != 0;
}
bool inputIsTerminal() {
  return isatty(STDIN_FILENO) != 0;
}

void printError(const Error& error) {
  std::fprintf(stderr, "orthros-cli: %s\n", error.message().c_str());
}

}  // namespace orthros::cli
