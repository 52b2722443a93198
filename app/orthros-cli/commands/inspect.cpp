#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/evaluate/markdown_table.hpp"
#include "engine/gguf/file.hpp"
#include "engine/gguf/value.hpp"
#include "engine/model/spec.hpp"
#include "engine/phase/describe.hpp"
#include "engine/phase/plan_gguf.hpp"
#include "engine/phase/plan_json.hpp"

namespace orthros::cli {
namespace {

constexpr size_t longestJsonArray = 64;  // elements; of longer ones JSON gives the type and the beginning

nlohmann::json arrayJson(const gguf::Array& array) {
  return std::visit(
      [&](const auto& values) -> nlohmann::json {
        nlohmann::json first = nlohmann::json::array();
        for (size_t i = 0; i < std::min(values.size(), longestJsonArray); ++i) first.push_back(values[i]);
        if (values.size() <= longestJsonArray) return first;
        return {{"type", gguf::typeName(gguf::Value(array))},
                {"elements", values.size()},
                {"first", std::move(first)}};
      },
      array);
}

nlohmann::json valueJson(const gguf::Value& value) {
  if (const auto* array = std::get_if<gguf::Array>(&value)) return arrayJson(*array);
  return std::visit(
      [](const auto& scalar) -> nlohmann::json {
        if constexpr (std::is_same_v<std::decay_t<decltype(scalar)>, gguf::Array>) {
          return nullptr;
        } else {
          return scalar;
        }
      },
      value);
}

std::string shapeText(const gguf::Tensor& tensor) {
  std::string text;
  for (const uint64_t size : tensor.shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

nlohmann::json specJson(const model::ModelSpec& spec) {
  return {{"architecture", spec.architecture},
          {"name", spec.name},
          {"layers", spec.layers},
          {"width", spec.width},
          {"heads", spec.heads},
          {"kvHeads", spec.kvHeads},
          {"headSize", spec.headSize},
          {"feedForward", spec.feedForward},
          {"vocabulary", spec.vocabulary},
          {"contextTokens", spec.contextTokens},
          {"tiedOutput", spec.tiedOutput},
          {"ropeBase", spec.rope.base}};
}

class InspectCommand final : public Command {
 public:
  const char* name() const override { return "inspect"; }
  const char* description() const override {
    return "Show what a GGUF file holds: metadata, shape, plan, tensors";
  }

  void addOptions(CLI::App& app) override {
    app.add_option("FILE", path_, "A model or adapter file (GGUF)")->required();
    app.add_flag("--tensors", tensors_, "List every tensor too (JSON always does)");
  }

  Status run(Console& console) override {
    ORTHROS_ASSIGN(const gguf::File file, gguf::File::open(path_));
    // An adapter, or a model of another kind, has no shape; everything else is still worth showing.
    const Result<model::ModelSpec> spec = model::readSpec(file);
    if (console.json) return printAsJson(file, spec);
    printAsText(file, spec);
    return {};
  }

 private:
  static uint64_t parameters(const gguf::File& file) {
    uint64_t count = 0;
    for (const gguf::Tensor& tensor : file.tensors()) count += tensor.elements;
    return count;
  }

  static Status printAsJson(const gguf::File& file, const Result<model::ModelSpec>& spec) {
    nlohmann::json metadata = nlohmann::json::object(), tensors = nlohmann::json::array();
    for (const auto& [key, value] : file.metadata()) metadata[key] = valueJson(value);
    for (const gguf::Tensor& tensor : file.tensors()) {
      tensors.push_back({{"name", tensor.name},
                         {"format", gguf::traitsOf(tensor.format)->name},
                         {"shape", tensor.shape},
                         {"bytes", tensor.data.size()}});
    }
    nlohmann::json root = {{"file", file.name()},
                           {"version", file.version()},
                           {"bytes", file.bytes()},
                           {"parameters", parameters(file)},
                           {"metadata", std::move(metadata)},
                           {"tensors", std::move(tensors)}};
    root["model"] = spec ? specJson(*spec) : nlohmann::json();
    if (spec) {
      const auto stored = phase::readPlan(file, spec->layers, spec->contextTokens);
      if (!stored) return fail(stored.error());
      root["plan"] = phase::toJson(stored->plan);
      root["warnings"] = stored->warnings;
    } else {
      root["whyNoModel"] = spec.error().message();
    }
    printJson(root);
    return {};
  }

  void printAsText(const gguf::File& file, const Result<model::ModelSpec>& spec) const {
    print(file.name() + ": GGUF version " + std::to_string(file.version()) + ", " + bytesText(file.bytes()) +
          ", " + std::to_string(file.tensors().size()) + " tensors, " +
          scaledText(static_cast<double>(parameters(file))) + "parameters\n");
    if (spec) {
      print(spec->architecture + ", " + std::to_string(spec->layers) + " layers, width " +
            std::to_string(spec->width) + ", " + std::to_string(spec->heads) + "/" +
            std::to_string(spec->kvHeads) + " heads of " + std::to_string(spec->headSize) +
            ", feed-forward " + std::to_string(spec->feedForward) + ", vocabulary " +
            std::to_string(spec->vocabulary) + ", context " + std::to_string(spec->contextTokens));
      const auto stored = phase::readPlan(file, spec->layers, spec->contextTokens);
      print("plan: " + (stored ? phase::describe(stored->plan) : stored.error().message()) + "\n");
    } else {
      print("not a model this build runs: " + spec.error().message() + "\n");
    }
    for (const auto& [key, value] : file.metadata()) print(key + " = " + gguf::toText(value, 8, 200));
    if (!tensors_) return;
    evaluate::MarkdownTable table(
        {{"tensor"}, {"format"}, {"shape"}, {"size", evaluate::MarkdownTable::Align::right}});
    for (const gguf::Tensor& tensor : file.tensors()) {
      table.addRow({tensor.name, gguf::traitsOf(tensor.format)->name, shapeText(tensor),
                    bytesText(tensor.data.size())});
    }
    print("\n" + table.text());
  }

  std::string path_;
  bool tensors_ = false;
};

}  // namespace

std::unique_ptr<Command> makeInspectCommand() {
  return std::make_unique<InspectCommand>();
}

}  // namespace orthros::cli
