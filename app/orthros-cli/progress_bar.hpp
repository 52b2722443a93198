// One line on the terminal that tells how far a long stage is and when it will end.
#pragma once

#include <chrono>
#include <string>

#include "engine/base/cancel.hpp"

namespace orthros::cli {

// "prefill  1024 of 2860  [#######             ]  36 %, 3.4 s left"; without the rest before a rate is known.
std::string progressLine(const Progress& progress, double elapsedSeconds);

class ProgressBar {
 public:
  explicit ProgressBar(bool visible) : visible_(visible) {}
  // Shows stages that last longer than a second, at most ten times a second.
  void update(const Progress& progress);
  // Removes the line, before other text is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool visible_;
  bool shown_ = false;
  const char* stage_ = nullptr;
  Clock::time_point stageBegin_;
  Clock::time_point lastShown_;
};

}  // namespace orthros::cli
