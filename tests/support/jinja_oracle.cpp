#include "tests/support/jinja_oracle.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace orthros::test {

std::optional<nlohmann::ordered_json> renderWithPython(const nlohmann::ordered_json& cases) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string stem = "orthros-jinja-" + std::to_string(std::random_device()());
  const auto input = folder / (stem + ".in.json");
  const auto output = folder / (stem + ".out.json");
  std::ofstream(input) << nlohmann::ordered_json{{"cases", cases}};
  const std::string command = "python3 '" ORTHROS_TEST_DATA "/support/render_jinja.py' < '" + input.string() +
                              "' > '" + output.string() + "'";
  const int status = std::system(command.c_str());
  std::optional<nlohmann::ordered_json> results;
  if (status == 0) {
    std::ifstream file(output);
    results = nlohmann::ordered_json::parse(file);
  }
  std::error_code ignored;
  std::filesystem::remove(input, ignored);
  std::filesystem::remove(output, ignored);
  return results;
}

}  // namespace orthros::test
