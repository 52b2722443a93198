#include "engine/model/synth.hpp"

#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/gguf/block_format.hpp"

namespace orthros::cli {
namespace {

class SynthCommand final : public Command {
 public:
  const char* name() const override { return "synth"; }
  const char* description() const override {
    return "Write a model of random weights, for tests and speed work";
  }

  void addOptions(CLI::App& app) override {
    app.add_option("FILE", path_, "The model file (GGUF) to write")->required();
    app.add_option("--shape", shape_, "A named shape, which the options below change")
        ->check(CLI::IsMember(model::synthShapeNames()))
        ->capture_default_str();
    app.add_option("--format", format_, "Format of the matrices, such as Q4_1, Q8_0, F16");
    addNumber(app, "--layers", &model::SynthOptions::layers, "Layers");
    addNumber(app, "--width", &model::SynthOptions::width, "Values per token between the layers");
    addNumber(app, "--heads", &model::SynthOptions::heads, "Query heads");
    addNumber(app, "--kv-heads", &model::SynthOptions::kvHeads,
              "Key and value heads; their number divides --heads");
    addNumber(app, "--head-size", &model::SynthOptions::headSize, "Values per head");
    addNumber(app, "--feed-forward", &model::SynthOptions::feedForward, "Width of the feed-forward part");
    addNumber(app, "--vocabulary", &model::SynthOptions::vocabulary, "Tokens the model knows");
    addNumber(app, "--context", &model::SynthOptions::context, "Longest context in tokens");
    app.add_option("--seed", seed_, "The same options and seed give the same file")->capture_default_str();
    app.add_flag("--rope-freqs", ropeFreqs_,
                 "Add frequency factors of the rotary positions (rope_freqs.weight)");
    app.add_option("--rope-scaling", ropeScaling_, "Divide positions by this number")
        ->check(CLI::PositiveNumber);
    app.add_flag("--untied", untied_, "Give the output its own matrix instead of the embedding's");
  }

  Status run(Console& console) override {
    ORTHROS_ASSIGN(model::SynthOptions options, model::synthShape(shape_));
    for (const Number& number : numbers_) {
      if (number.value > 0) options.*number.field = number.value;
    }
    if (!format_.empty()) {
      ORTHROS_ASSIGN(options.format, gguf::formatFromName(format_));
    }
    options.seed = seed_;
    options.ropeFreqs = options.ropeFreqs || ropeFreqs_;
    if (ropeScaling_ > 0.f) options.ropeScaling = ropeScaling_;
    if (untied_) options.tied = false;
    ORTHROS_TRY(model::writeSynth(options, path_));
    const uint64_t parameters = model::parameterCount(options);
    if (console.json) {
      printJson({{"file", path_}, {"parameters", parameters}, {"bytes", std::filesystem::file_size(path_)}});
    } else {
      print("wrote " + path_ + ", " + scaledText(static_cast<double>(parameters)) + "parameters, " +
            bytesText(std::filesystem::file_size(path_)));
    }
    return {};
  }

 private:
  struct Number {
    uint32_t model::SynthOptions::*field = nullptr;
    uint32_t value = 0;  // 0: as the shape has it
  };

  void addNumber(CLI::App& app, const char* option, uint32_t model::SynthOptions::*field, const char* help) {
    numbers_.reserve(8);  // options point at the entries
    numbers_.push_back({field, 0});
    app.add_option(option, numbers_.back().value, help)->check(CLI::PositiveNumber);
  }

  std::string path_;
  std::string shape_ = "tiny";
  std::string format_;
  std::vector<Number> numbers_;
  uint64_t seed_ = 1;
  bool ropeFreqs_ = false;
  float ropeScaling_ = 0.f;  // 0: as the shape has it
  bool untied_ = false;
};

}  // namespace

std::unique_ptr<Command> makeSynthCommand() {
  return std::make_unique<SynthCommand>();
}

}  // namespace orthros::cli
