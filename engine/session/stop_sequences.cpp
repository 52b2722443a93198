#include "engine/session/stop_sequences.hpp"

#include <algorithm>
#include <utility>

namespace orthros::session {

StopSequences::StopSequences(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string StopSequences::push(std::string_view piece) {
  if (stopped_) return {};
  pending_ += piece;
  const size_t stop = findStop();
  if (stop != std::string::npos) {
    stopped_ = true;
    pending_.resize(stop);
    return flush();
  }
  const size_t shown = pending_.size() - heldBytes();
  std::string text = pending_.substr(0, shown);
  pending_.erase(0, shown);
  return text;
}

std::string StopSequences::flush() {
  return std::exchange(pending_, {});
}

size_t StopSequences::findStop() const {
  size_t first = std::string::npos;
  for (const std::string& stop : stops_) first = std::min(first, pending_.find(stop));
  return first;
}

// The longest end of the pending text that begins a stop string.
size_t StopSequences::heldBytes() const {
  size_t held = 0;
  for (const std::string& stop : stops_) {
    for (size_t length = std::min(stop.size() - 1, pending_.size()); length > held; --length) {
      if (std::string_view(pending_).ends_with(std::string_view(stop).substr(0, length))) held = length;
    }
  }
  return held;
}

}  // namespace orthros::session
