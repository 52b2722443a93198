#include <filesystem>
#include <optional>
#include <random>

#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/model_options.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/base/file.hpp"
#include "engine/evaluate/golden_case.hpp"
#include "engine/evaluate/markdown_table.hpp"
#include "engine/evaluate/score.hpp"

namespace orthros::cli {
namespace {

constexpr uint64_t caseFileLimitBytes = 64ull << 20;

// A file that is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const char* name)
      : path_(std::filesystem::temp_directory_path() /
              (std::string(name) + "." + std::to_string(std::random_device()()))) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class LogitsCommand final : public Command {
 public:
  const char* name() const override { return "logits"; }
  const char* description() const override {
    return "Score the next token after a text (logits), and say how likely the text is";
  }

  void addOptions(CLI::App& app) override {
    model_.addFiles(app);
    model_.addPlan(app);
    model_.addDevice(app);
    text_.add(app, false);
    auto* byCase =
        app.add_option("--case", caseFile_, "A file with cases in the form of tests/golden (JSON)");
    app.add_option("--name", caseName_, "Which case of a file that has several")->needs(byCase);
    app.add_flag("--special", special_, "Parse control tokens such as <|im_end|> out of the text");
    app.add_option("--top", top_, "How many of the largest logits to print")->capture_default_str();
    app.add_option("--max-tokens", maxTokens_,
                   "Also continue the text by so many tokens, the likeliest each time");
    app.callback([this] {
      if (text_.given() == !caseFile_.empty()) {
        throw CLI::ValidationError("Exactly one of --text, --file and --case is required");
      }
    });
  }

  Status run(Console& console) override {
    std::optional<evaluate::GoldenCase> golden;
    if (!caseFile_.empty()) {
      ORTHROS_ASSIGN(golden, readCase());
    }
    TemporaryFile changedAdapter("orthros-adapter");
    ORTHROS_ASSIGN(session::SetUp setUp, model_.setUp());
    if (golden) ORTHROS_TRY(fit(setUp, *golden, changedAdapter.path()));
    LoadedCommand loaded;
    ORTHROS_TRY(loaded.open(setUp, {.tracing = false, .probe = false}, console));
    const auto& model = *loaded.model;
    const phase::PhasePlan plan = golden ? golden->plan(model.deviceModel().spec().layers) : model.plan();
    session::Layout prompt;
    if (golden) {
      prompt = golden->layout();
    } else {
      ORTHROS_ASSIGN(prompt, textPrompt(model, plan, console));
    }
    ORTHROS_ASSIGN(const auto session, model.newSession(plan));
    ORTHROS_ASSIGN(const evaluate::Scores scores,
                   evaluate::score(*session, prompt, top_, console.progress(), console.cancel));
    std::vector<text::TokenId> greedy;
    if (maxTokens_ > 0) {
      ORTHROS_ASSIGN(
          const session::Answer answer,
          session->answer(prompt, {.maxTokens = maxTokens_, .stopAtEnd = false}, {}, console.cancel));
      greedy = answer.tokens;
    }
    console.bar.clear();
    show(console, model, scores, greedy);
    return {};
  }

 private:
  Result<evaluate::GoldenCase> readCase() const {
    ORTHROS_ASSIGN(const std::string text, readFile(caseFile_, caseFileLimitBytes));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded())
      return fail(ErrorCode::malformed, caseFile_, "is not JSON",
                  "Name a file in the form of tests/golden/smollm2-135m.json");
    return evaluate::chooseCase(json, caseName_);
  }

  // Adapter and RoPE factors as the case says.
  static Status fit(session::SetUp& setUp, const evaluate::GoldenCase& golden,
                    const std::filesystem::path& changed) {
    setUp.plan.clear();
    if (!golden.adapter) {
      setUp.adapter.reset();
    } else if (!setUp.adapter) {
      return fail(ErrorCode::notFound, "case " + golden.name, "needs an adapter", "Name it with --adapter");
    } else if (!golden.ropeFactors) {
      ORTHROS_TRY(evaluate::copyWithoutRopeFactors(*setUp.adapter, changed));
      setUp.adapter = changed;
    }
    return {};
  }

  Result<session::Layout> textPrompt(const session::OpenedModel& model, const phase::PhasePlan& plan,
                                     Console& console) const {
    ORTHROS_ASSIGN(const std::string text, text_.read());
    const auto special = special_ ? text::SpecialTokens::parse : text::SpecialTokens::plain;
    ORTHROS_ASSIGN(const session::Segment segment,
                   session::plainPrompt(*model.vocabulary(), text, special, console.cancel));
    return session::layOut(plan, {&segment, 1});
  }

  static void show(const Console& console, const session::OpenedModel& model, const evaluate::Scores& scores,
                   const std::vector<text::TokenId>& greedy) {
    if (console.json) {
      nlohmann::json root = evaluate::toJson(scores);
      if (!greedy.empty()) {
        root["greedy"] = greedy;
        root["greedy_text"] = model.vocabulary()->detokenize(greedy, true);
      }
      printJson(root);
      return;
    }
    using Align = evaluate::MarkdownTable::Align;
    evaluate::MarkdownTable table({{"token", Align::right}, {"logit", Align::right}, {"text"}});
    for (const auto& [id, logit] : scores.top) {
      const nlohmann::json piece = std::string(model.vocabulary()->pieceOf(id));
      table.addRow({std::to_string(id), evaluate::fixed(logit, 4),
                    piece.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
    }
    print(table.text());
    print("log of the sum of exponentials " + evaluate::fixed(scores.logsumexp, 4) +
          ", mean negative log-likelihood " + evaluate::fixed(scores.meanNll, 5) + " over " +
          std::to_string(scores.scoredRows) + " rows, " + evaluate::fixed(scores.meanNllDecodeRows, 5) +
          " over " + std::to_string(scores.scoredDecodeRows) + " decode rows");
    if (!greedy.empty()) print("continues: " + model.vocabulary()->detokenize(greedy, true));
  }

  ModelOptions model_;
  TextOptions text_;
  std::string caseFile_;
  std::string caseName_;
  bool special_ = false;
  uint32_t top_ = 10;
  uint32_t maxTokens_ = 0;
};

}  // namespace

std::unique_ptr<Command> makeLogitsCommand() {
  return std::make_unique<LogitsCommand>();
}

}  // namespace orthros::cli
