#include "engine/text/vocabulary.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/text/byte_pair_encoder.hpp"
#include "engine/text/detokenizer.hpp"
#include "engine/text/end_of_generation.hpp"
#include "engine/text/sentence_piece_encoder.hpp"
#include "engine/text/special_token_matcher.hpp"
#include "engine/text/token_table.hpp"
#include "engine/text/unicode.hpp"

namespace orthros::text {

// Stands still in memory: the encoder points into `tokens`.
struct VocabularyTables {
  VocabularyData settings;  // without tokens, scores and merges, which the members below took over
  TokenTable tokens;
  std::variant<std::monostate, BytePairEncoder, SentencePieceEncoder> encoder;
  SpecialTokenMatcher inPlainText, inTemplateText;
  std::vector<TokenId> endOfGeneration;  // ascending
};

namespace {

// Special tokens after which Phi-3 keeps white space, unlike after its others.
constexpr std::string_view kKeepSpaceAfter[] = {"<unk>", "<s>", "<|endoftext|>"};

bool isWhiteSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

Status checkSpecialIds(const VocabularyData& data) {
  const std::pair<const char*, std::optional<TokenId>> ids[] = {
      {"bos_token_id", data.bos}, {"eos_token_id", data.eos},         {"eot_token_id", data.eot},
      {"eom_token_id", data.eom}, {"unknown_token_id", data.unknown}, {"padding_token_id", data.padding},
  };
  for (const auto& [key, token] : ids) {
    if (!token || *token < data.tokens.size()) continue;
    return fail(
        ErrorCode::malformed, data.name + ": tokenizer.ggml." + key,
        "is " + std::to_string(*token) + ", but there are " + std::to_string(data.tokens.size()) + " tokens",
        "The file is damaged; get it again");
  }
  return {};
}

Status makeEncoder(VocabularyTables& tables) {
  const VocabularyData& data = tables.settings;
  if (data.model == VocabularyModel::bytePair) {
    ORTHROS_ASSIGN(tables.encoder, BytePairEncoder::create(data, tables.tokens));
  } else {
    ORTHROS_ASSIGN(tables.encoder, SentencePieceEncoder::create(data, tables.tokens));
  }
  return {};
}

void indexSpecialTokens(VocabularyTables& tables) {
  for (TokenId token = 0; token < tables.tokens.size(); ++token) {
    const TokenKind kind = tables.tokens.kind(token);
    const bool everywhere = kind == TokenKind::userDefined;
    if (everywhere) tables.inPlainText.add(tables.tokens.text(token), token);
    if (everywhere || kind == TokenKind::control || kind == TokenKind::unknown) {
      tables.inTemplateText.add(tables.tokens.text(token), token);
    }
  }
}

// One call of tokenize: special tokens found, the text between them encoded.
class Tokenizing {
 public:
  Tokenizing(const VocabularyTables& tables, const CancelToken* cancel) : tables_(tables), cancel_(cancel) {}

  Result<std::vector<TokenId>> run(std::string_view text, SpecialTokens special) && {
    const SpecialTokenMatcher& matcher =
        special == SpecialTokens::parse ? tables_.inTemplateText : tables_.inPlainText;
    while (!text.empty()) {
      const auto match = matcher.find(text, 0);
      ORTHROS_TRY(encode(text.substr(0, match ? match->begin : text.size())));
      if (!match) break;
      output_.push_back(match->token);
      afterSpecial_ = true;
      text.remove_prefix(match->begin + match->length);
      if (takesSpace(match->token)) text.remove_prefix(leadingWhiteSpace(text));
    }
    return std::move(output_);
  }

 private:
  Status encode(std::string_view text) {
    if (text.empty()) return {};
    const bool spacePrefix = afterSpecial_ && tables_.settings.addSpacePrefix;
    afterSpecial_ = false;
    if (const auto* encoder = std::get_if<BytePairEncoder>(&tables_.encoder)) {
      return encoder->encode(text, output_, cancel_);
    }
    return std::get<SentencePieceEncoder>(tables_.encoder).encode(text, spacePrefix, output_, cancel_);
  }

  bool takesSpace(TokenId token) const {
    if (!tables_.settings.trimAfterSpecial) return false;
    const auto end = std::end(kKeepSpaceAfter);
    return std::find(std::begin(kKeepSpaceAfter), end, tables_.tokens.text(token)) == end;
  }

  static size_t leadingWhiteSpace(std::string_view text) {
    return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), isWhiteSpace) - text.begin());
  }

  const VocabularyTables& tables_;
  const CancelToken* cancel_;
  std::vector<TokenId> output_;
  bool afterSpecial_ = true;  // also at the start of the text
};

}  // namespace

Vocabulary::Vocabulary(std::unique_ptr<const VocabularyTables> tables) : tables_(std::move(tables)) {}
Vocabulary::~Vocabulary() = default;

Result<std::shared_ptr<const Vocabulary>> Vocabulary::load(const gguf::File& file) {
  ORTHROS_ASSIGN(VocabularyData data, readVocabularyData(file));
  return create(std::move(data));
}

Result<std::shared_ptr<const Vocabulary>> Vocabulary::create(VocabularyData data) {
  ORTHROS_TRY(checkSpecialIds(data));
  auto tables = std::make_unique<VocabularyTables>();
  ORTHROS_ASSIGN(tables->tokens, TokenTable::create(data));
  tables->settings = std::move(data);
  tables->endOfGeneration = endOfGenerationTokens(tables->settings, tables->tokens);
  ORTHROS_TRY(makeEncoder(*tables));
  indexSpecialTokens(*tables);
  tables->settings.merges = {};
  tables->settings.scores = {};
  return std::shared_ptr<const Vocabulary>(new Vocabulary(std::move(tables)));
}

Result<std::vector<TokenId>> Vocabulary::tokenize(std::string_view text, SpecialTokens special,
                                                  const CancelToken* cancel) const {
  if (cancel) ORTHROS_TRY(cancel->check("tokenizing"));
  if (isValidUtf8(text)) return Tokenizing(*tables_, cancel).run(text, special);
  const std::string clean = sanitizeUtf8(text);
  return Tokenizing(*tables_, cancel).run(clean, special);
}

std::string Vocabulary::detokenize(std::span<const TokenId> tokens, bool renderSpecial) const {
  Detokenizer detokenizer(shared_from_this(), {.renderSpecial = renderSpecial, .textStart = true});
  std::string text;
  for (const TokenId token : tokens) text += detokenizer.push(token);
  return text + detokenizer.flush();
}

uint32_t Vocabulary::size() const {
  return tables_->tokens.size();
}
VocabularyModel Vocabulary::model() const {
  return tables_->settings.model;
}

std::string_view Vocabulary::pieceOf(TokenId token) const {
  return token < size() ? tables_->tokens.piece(token) : std::string_view();
}

std::string_view Vocabulary::textOf(TokenId token) const {
  return token < size() ? tables_->tokens.text(token) : std::string_view();
}

TokenKind Vocabulary::kindOf(TokenId token) const {
  return token < size() ? tables_->tokens.kind(token) : TokenKind::unused;
}

std::optional<TokenId> Vocabulary::find(std::string_view text) const {
  return tables_->tokens.find(text);
}

std::optional<TokenId> Vocabulary::bos() const {
  return tables_->settings.bos;
}
std::optional<TokenId> Vocabulary::eos() const {
  return tables_->settings.eos;
}
std::optional<TokenId> Vocabulary::eot() const {
  return tables_->settings.eot;
}
std::optional<TokenId> Vocabulary::unknown() const {
  return tables_->settings.unknown;
}
std::optional<TokenId> Vocabulary::padding() const {
  return tables_->settings.padding;
}
bool Vocabulary::addBos() const {
  return tables_->settings.addBos && bos();
}
bool Vocabulary::addEos() const {
  return tables_->settings.addEos && eos();
}
bool Vocabulary::addSpacePrefix() const {
  return model() == VocabularyModel::sentencePiece && tables_->settings.addSpacePrefix;
}

void Vocabulary::prependBos(std::vector<TokenId>& tokens) const {
  if (addBos() && (tokens.empty() || tokens.front() != *bos())) tokens.insert(tokens.begin(), *bos());
}

bool Vocabulary::isEndOfGeneration(TokenId token) const {
  return std::binary_search(endOfGeneration().begin(), endOfGeneration().end(), token);
}

const std::vector<TokenId>& Vocabulary::endOfGeneration() const {
  return tables_->endOfGeneration;
}

}  // namespace orthros::text
