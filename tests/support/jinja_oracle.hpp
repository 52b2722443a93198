// Renders templates with Python's jinja2 through tests/support/render_jinja.py.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace orthros::test {

// `cases` is a list of {"source", "variables"}. One {"output"} or {"error"} for each; nothing where python3
// or its jinja2 is missing.
std::optional<nlohmann::ordered_json> renderWithPython(const nlohmann::ordered_json& cases);

}  // namespace orthros::test
