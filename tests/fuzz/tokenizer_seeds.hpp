// Small vocabularies for the tokenizer's fuzz targets.
#pragma once

#include <string>
#include <utility>

#include "engine/text/byte_level.hpp"
#include "engine/text/unicode.hpp"
#include "engine/text/vocabulary_data.hpp"

namespace orthros::text::fuzzing {

inline void add(VocabularyData& data, std::string text, TokenKind kind) {
  data.tokens.push_back(std::move(text));
  data.kinds.push_back(kind);
  data.scores.push_back(-static_cast<float>(data.scores.size()));
}

inline VocabularyData bytePairs(const std::string& preTokenizer) {
  VocabularyData data;
  data.name = "fuzz";
  data.preTokenizer = preTokenizer;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    std::string letter;
    appendUtf8(letter, letterOfByte(static_cast<uint8_t>(byte)));
    add(data, letter, TokenKind::normal);
  }
  for (const auto& [left, right] :
       {std::pair{"a", "a"}, {"aa", "aa"}, {"Ġ", "a"}, {"Ġ", "Ġ"}, {"Ã", "©"}, {"<", "|"}}) {
    data.merges.push_back(std::string(left) + " " + right);
    add(data, std::string(left) + right, TokenKind::normal);
  }
  for (const char* text : {"<|s|>", "<|e|>", "<|s|><|e|>"}) add(data, text, TokenKind::control);
  for (const char* text : {"<u>", "\n\n", "世"}) add(data, text, TokenKind::userDefined);
  return data;
}

inline VocabularyData sentencePiece() {
  VocabularyData data;
  data.name = "fuzz";
  data.model = VocabularyModel::sentencePiece;
  data.unknown = 0;
  add(data, "<unk>", TokenKind::unknown);
  for (const char* text : {"<s>", "</s>"}) add(data, text, TokenKind::control);
  for (uint32_t byte = 0; byte < 256; ++byte) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    add(data, {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'}, TokenKind::byte);
  }
  for (const char* text : {"▁", "▁▁", "▁a", "aa", "a", "é", "<s", "<", "s", "▁▁▁▁", "0x"}) {
    add(data, text, TokenKind::normal);
  }
  return data;
}

}  // namespace orthros::text::fuzzing
