// Numbers and JSON as the commands print them.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace orthros::cli {

// "350 ms", "12.3 s", "4 min 10 s"
std::string durationText(uint64_t ns);
// "98.4 MB" (powers of 1000)
std::string bytesText(uint64_t bytes);
// "1.23e+12" with a unit prefix: "1.23 T"
std::string scaledText(double value);

// To stdout, indented, with a line feed; text that is not UTF-8 is made so.
void printJson(const nlohmann::json& json);
std::string jsonText(const nlohmann::json& json);
void print(const std::string& text);  // to stdout, with a line feed

}  // namespace orthros::cli
