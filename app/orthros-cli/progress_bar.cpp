#include "app/orthros-cli/progress_bar.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "app/orthros-cli/output.hpp"

namespace orthros::cli {
namespace {

constexpr int barCells = 24;
constexpr auto silentFor = std::chrono::seconds(1);
constexpr auto betweenUpdates = std::chrono::milliseconds(100);

}  // namespace

std::string progressLine(const Progress& progress, double elapsedSeconds) {
  std::string line = std::string(progress.stage) + "  ";
  if (progress.total == 0) return line + std::to_string(progress.done);
  const double share =
      std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
  const auto filled = static_cast<size_t>(share * barCells);
  line += std::to_string(progress.done) + " of " + std::to_string(progress.total) + "  [" +
          std::string(filled, '#') + std::string(barCells - filled, ' ') + "]  " +
          std::to_string(static_cast<int>(100.0 * share)) + " %";
  if (share > 0.0 && elapsedSeconds > 0.0) {
    line +=
        ", " + durationText(static_cast<uint64_t>(1e9 * elapsedSeconds * (1.0 - share) / share)) + " left";
  }
  return line;
}

void ProgressBar::update(const Progress& progress) {
  if (!visible_) return;
  const auto now = Clock::now();
  if (!stage_ || std::strcmp(stage_, progress.stage) != 0) {
    stage_ = progress.stage;
    stageBegin_ = now;
  }
  const bool complete = progress.done >= progress.total;
  if (now - stageBegin_ < silentFor || (now - lastShown_ < betweenUpdates && !complete)) return;
  lastShown_ = now;
  shown_ = true;
  const std::chrono::duration<double> elapsed = now - stageBegin_;
  std::fprintf(stderr, "\r%s\033[K", progressLine(progress, elapsed.count()).c_str());
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!shown_) return;
  shown_ = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace orthros::cli
