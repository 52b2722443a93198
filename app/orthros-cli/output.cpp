#include "app/orthros-cli/output.hpp"

#include <cstdio>

#include "engine/evaluate/markdown_table.hpp"

namespace orthros::cli {

using evaluate::fixed;

std::string durationText(uint64_t ns) {
  const double seconds = static_cast<double>(ns) * 1e-9;
  if (seconds < 1.0) return fixed(1e3 * seconds, seconds < 0.01 ? 2 : 0) + " ms";
  if (seconds < 100.0) return fixed(seconds, seconds < 10.0 ? 2 : 1) + " s";
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

std::string scaledText(double value) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t step = 0;
  while (value >= 1000.0 && step + 1 < std::size(prefixes)) {
    value /= 1000.0;
    ++step;
  }
  return step == 0 ? fixed(value, 0) + " " : fixed(value, value < 10.0 ? 2 : 1) + " " + prefixes[step];
}

std::string bytesText(uint64_t bytes) {
  return scaledText(static_cast<double>(bytes)) + "B";
}

std::string jsonText(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void printJson(const nlohmann::json& json) {
  std::fputs(jsonText(json).c_str(), stdout);
  std::fflush(stdout);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

}  // namespace orthros::cli
