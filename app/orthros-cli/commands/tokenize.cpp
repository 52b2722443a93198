#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/model_options.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/gguf/file.hpp"
#include "engine/text/vocabulary.hpp"

namespace orthros::cli {
namespace {

class TokenizeCommand final : public Command {
 public:
  const char* name() const override { return "tokenize"; }
  const char* description() const override { return "Turn text into the model's tokens"; }

  void addOptions(CLI::App& app) override {
    model_.addFiles(app);
    text_.add(app, true);
    app.add_flag("--special", special_, "Parse control tokens such as <|im_end|> out of the text");
  }

  Status run(Console& console) override {
    ORTHROS_ASSIGN(const session::SetUp setUp, model_.setUp());
    ORTHROS_ASSIGN(const gguf::File file, gguf::File::open(setUp.model));
    ORTHROS_ASSIGN(const auto vocabulary, text::Vocabulary::load(file));
    ORTHROS_ASSIGN(const std::string text, text_.read());
    const auto special = special_ ? text::SpecialTokens::parse : text::SpecialTokens::plain;
    ORTHROS_ASSIGN(const auto tokens, vocabulary->tokenize(text, special, &console.cancel));
    if (console.json) {
      printJson({{"tokens", tokens}});
      return {};
    }
    for (const text::TokenId token : tokens) {
      const nlohmann::json piece = std::string(vocabulary->pieceOf(token));
      print(std::to_string(token) + "\t" +
            piece.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    return {};
  }

 private:
  ModelOptions model_;
  TextOptions text_;
  bool special_ = false;
};

}  // namespace

std::unique_ptr<Command> makeTokenizeCommand() {
  return std::make_unique<TokenizeCommand>();
}

}  // namespace orthros::cli
