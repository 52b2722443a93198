// Small vocabularies, random text and files of vectors for the tokenizer's tests.
#pragma once

#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/vocabulary.hpp"

namespace orthros::text::testing {

// 256 byte tokens (id = byte), a few words ("hello", " world", "ing"), <|im_start|> 1 and more; pre-tokenizer
// gpt-2.
VocabularyData smallBytePairs();
// <unk> 0, <s> 1, </s> 2, 256 byte tokens, letters and a few words with scores.
VocabularyData smallSentencePiece();

TokenId addToken(VocabularyData& data, std::string text, TokenKind kind, float score = 0);
// Adds the merge and the token that it makes.
TokenId addMerge(VocabularyData& data, const std::string& left, const std::string& right);

// Fails the test and gives null where the data is refused.
std::shared_ptr<const Vocabulary> make(VocabularyData data);

// Tokens of plain or template text; fails the test on an error.
std::vector<TokenId> tokensOf(const Vocabulary& vocabulary, std::string_view text,
                              SpecialTokens special = SpecialTokens::plain);
// The tokens' texts as the file writes them.
std::vector<std::string> textsOf(const Vocabulary& vocabulary, std::string_view text,
                                 SpecialTokens special = SpecialTokens::plain);

// Valid UTF-8 that mixes letters, digits, spaces, line ends, and characters of 2 to 4 bytes.
std::string randomText(std::mt19937_64& random, size_t characters);

// Processor time, so that a busy machine does not fail a test.
class CpuTimer {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

// What tokenizing 1 MB of anything may cost. An optimised build needs a fraction of it.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
inline constexpr double kSecondsPerMegabyte = 2;
#else
inline constexpr double kSecondsPerMegabyte = 30;
#endif

struct TokenVector {
  std::string text;
  std::vector<TokenId> tokens;
};
// A pair of files as llama.cpp's converter writes them: texts with a separator line, and a line of ids for
// each.
std::vector<TokenVector> readVectors(const std::filesystem::path& texts, const std::filesystem::path& tokens);

// A Hugging Face tokenizer.json, compressed with xz, of a byte-pair model. Nothing where this build cannot
// unpack it.
std::optional<VocabularyData> readTokenizerJson(const std::filesystem::path& path,
                                                const std::string& preTokenizer);

// The folder beside the checkout with vocabularies and texts by others; it may not exist.
std::filesystem::path sharedFolder();

}  // namespace orthros::text::testing
