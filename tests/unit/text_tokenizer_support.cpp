#include "tests/unit/text_tokenizer_support.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.hpp"
#include "engine/text/byte_level.hpp"
#include "engine/text/unicode.hpp"

#ifdef ORTHROS_TEST_XZ
#include <archive.h>
#include <archive_entry.h>
#endif

namespace orthros::text::testing {
namespace {

constexpr uint64_t kFileLimit = 256u << 20;

std::string fileText(const std::filesystem::path& path) {
  auto text = readFile(path, kFileLimit);
  EXPECT_TRUE(text) << text.error().message();
  return text ? *text : std::string();
}

// The parts before each separator; what follows the last one is dropped.
std::vector<std::string> partsBefore(const std::string& text, std::string_view separator) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t end = 0; (end = text.find(separator, at)) != std::string::npos; at = end + separator.size()) {
    parts.push_back(text.substr(at, end - at));
  }
  return parts;
}

#ifdef ORTHROS_TEST_XZ
std::string unpacked(const std::filesystem::path& path) {
  std::string result;
  archive* reader = archive_read_new();
  archive_read_support_filter_xz(reader);
  archive_read_support_format_raw(reader);
  archive_entry* entry = nullptr;
  if (archive_read_open_filename(reader, path.c_str(), 1 << 16) == ARCHIVE_OK &&
      archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    std::array<char, 1 << 16> buffer;
    for (la_ssize_t got = 0; (got = archive_read_data(reader, buffer.data(), buffer.size())) > 0;) {
      result.append(buffer.data(), static_cast<size_t>(got));
    }
  }
  archive_read_free(reader);
  return result;
}
#endif

void addTokens(VocabularyData& data, const nlohmann::json& file) {
  const auto& words = file.at("model").at("vocab");
  const auto& added = file.at("added_tokens");
  size_t size = words.size();
  for (const auto& token : added) size = std::max(size, token.at("id").get<size_t>() + 1);
  data.tokens.resize(size);
  data.kinds.assign(size, TokenKind::normal);
  for (const auto& [text, id] : words.items()) data.tokens.at(id.get<size_t>()) = text;
  for (const auto& token : added) {
    const auto id = token.at("id").get<size_t>();
    data.tokens.at(id) = token.at("content").get<std::string>();
    data.kinds.at(id) = token.at("special").get<bool>() ? TokenKind::control : TokenKind::userDefined;
  }
}

}  // namespace

TokenId addToken(VocabularyData& data, std::string text, TokenKind kind, float score) {
  data.tokens.push_back(std::move(text));
  data.kinds.push_back(kind);
  if (data.model == VocabularyModel::sentencePiece) data.scores.push_back(score);
  return static_cast<TokenId>(data.tokens.size() - 1);
}

TokenId addMerge(VocabularyData& data, const std::string& left, const std::string& right) {
  data.merges.push_back(left + " " + right);
  return addToken(data, left + right, TokenKind::normal);
}

VocabularyData smallBytePairs() {
  VocabularyData data;
  data.name = "small";
  data.preTokenizer = "gpt-2";
  for (uint32_t byte = 0; byte < 256; ++byte) {
    std::string letter;
    appendUtf8(letter, letterOfByte(static_cast<uint8_t>(byte)));
    addToken(data, letter, TokenKind::normal);
  }
  constexpr std::pair<const char*, const char*> kMerges[] = {
      {"h", "e"},   {"l", "l"}, {"i", "n"},     {"he", "ll"}, {"hell", "o"}, {"Ġ", "w"},   {"o", "r"},
      {"Ġw", "or"}, {"l", "d"}, {"Ġwor", "ld"}, {"in", "g"},  {"a", "a"},    {"aa", "aa"}, {"Ã", "©"}};
  for (const auto& [left, right] : kMerges) addMerge(data, left, right);
  data.bos = addToken(data, "<|im_start|>", TokenKind::control);
  data.eos = addToken(data, "<|im_end|>", TokenKind::control);
  addToken(data, "<tool>", TokenKind::userDefined);
  return data;
}

VocabularyData smallSentencePiece() {
  VocabularyData data;
  data.name = "small";
  data.model = VocabularyModel::sentencePiece;
  data.unknown = addToken(data, "<unk>", TokenKind::unknown);
  data.bos = addToken(data, "<s>", TokenKind::control);
  data.eos = addToken(data, "</s>", TokenKind::control);
  for (uint32_t byte = 0; byte < 256; ++byte) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    addToken(data, {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'}, TokenKind::byte);
  }
  float score = -1;
  for (const char* text :
       {"▁▁", "▁t", "he", "in", "▁the", "er", "▁▁▁▁", "ing", "lo", "el", "llo", "ello", "▁hello"}) {
    addToken(data, text, TokenKind::normal, score--);
  }
  for (const char* text : {"▁", "e", "t", "h", "i", "n", "g", "r", "l", "o", "<", "s", ">", "é"}) {
    addToken(data, text, TokenKind::normal, score--);
  }
  return data;
}

std::shared_ptr<const Vocabulary> make(VocabularyData data) {
  auto vocabulary = Vocabulary::create(std::move(data));
  EXPECT_TRUE(vocabulary) << vocabulary.error().message();
  return vocabulary ? *vocabulary : nullptr;
}

std::vector<TokenId> tokensOf(const Vocabulary& vocabulary, std::string_view text, SpecialTokens special) {
  auto tokens = vocabulary.tokenize(text, special);
  EXPECT_TRUE(tokens) << tokens.error().message();
  return tokens ? *tokens : std::vector<TokenId>();
}

std::vector<std::string> textsOf(const Vocabulary& vocabulary, std::string_view text, SpecialTokens special) {
  std::vector<std::string> texts;
  for (const TokenId token : tokensOf(vocabulary, text, special))
    texts.emplace_back(vocabulary.textOf(token));
  return texts;
}

std::string randomText(std::mt19937_64& random, size_t characters) {
  constexpr std::string_view kCommon = "aaehilnorstw  \n\t'.,0123";
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF}, {0xE000, 0xFFFF}, {0x10000, 0x10FFFF}};
  std::string text;
  for (size_t i = 0; i < characters; ++i) {
    if (random() % 4 != 0) {
      text.push_back(kCommon[random() % kCommon.size()]);
      continue;
    }
    const auto [first, last] = kRanges[random() % std::size(kRanges)];
    appendUtf8(text, first + static_cast<char32_t>(random() % (last - first + 1)));
  }
  return text;
}

std::vector<TokenVector> readVectors(const std::filesystem::path& texts,
                                     const std::filesystem::path& tokens) {
  std::vector<TokenVector> vectors;
  for (std::string& text : partsBefore(fileText(texts), "\n__ggml_vocab_test__\n")) {
    vectors.push_back({std::move(text), {}});
  }
  std::istringstream lines(fileText(tokens));
  std::string line;
  for (TokenVector& vector : vectors) {
    EXPECT_TRUE(std::getline(lines, line)) << "fewer lines than texts";
    std::istringstream numbers(line);
    for (TokenId token = 0; numbers >> token;) vector.tokens.push_back(token);
  }
  EXPECT_FALSE(std::getline(lines, line)) << "more lines than texts";
  return vectors;
}

std::optional<VocabularyData> readTokenizerJson([[maybe_unused]] const std::filesystem::path& path,
                                                const std::string& preTokenizer) {
#ifdef ORTHROS_TEST_XZ
  const auto file = nlohmann::json::parse(unpacked(path));
  VocabularyData data;
  data.name = path.filename().string();
  data.preTokenizer = preTokenizer;
  addTokens(data, file);
  for (const auto& merge : file.at("model").at("merges")) {
    data.merges.push_back(merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>());
  }
  return data;
#else
  (void)preTokenizer;
  return std::nullopt;
#endif
}

std::filesystem::path sharedFolder() {
  return ORTHROS_SHARED_FOLDER;
}

}  // namespace orthros::text::testing
