#include "engine/model/synth_tokenizer.hpp"

namespace orthros::model {
namespace {

// Token types of GGUF vocabularies.
constexpr int32_t normalToken = 1, controlToken = 3, unusedToken = 5;

constexpr const char* controlTokens[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
constexpr uint32_t firstControl = 256, endOfText = 256, messageStart = 257, messageEnd = 258;

// Pairs in order of rank, in the byte alphabet ("\u0120" is the space); later pairs use earlier results.
constexpr const char* mergePairs[mostSynthMerges][2] = {
    {"t", "h"}, {"h", "e"},  {"i", "n"},  {"e", "r"},      {"a", "n"},        {"o", "n"},
    {"r", "e"}, {"th", "e"}, {"e", "s"},  {"a", "t"},      {"o", "r"},        {"e", "n"},
    {"i", "s"}, {"i", "t"},  {"an", "d"}, {"in", "g"},     {"o", "f"},        {"t", "o"},
    {"l", "l"}, {"s", "t"},  {"a", "r"},  {"\u0120", "a"}, {"\u0120", "the"}, {"\u0120", "t"}};

constexpr const char* chatTemplate =
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% "
    "endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

std::string utf8(uint32_t point) {
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  return {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 63))};
}

// The byte alphabet of GPT-2: printable bytes stand for themselves, the others for U+0100 onwards in order.
std::vector<std::string> byteAlphabet() {
  std::vector<std::string> letters;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    letters.push_back(utf8(printable ? byte : next++));
  }
  return letters;
}

}  // namespace

Status addTokenizer(const SynthOptions& options, gguf::Writer& writer) {
  std::vector<std::string> tokens = byteAlphabet(), merges;
  std::vector<int32_t> types(tokens.size(), normalToken);
  for (const char* token : controlTokens) tokens.emplace_back(token);
  types.resize(tokens.size(), controlToken);
  for (uint32_t i = 0; i < options.merges; ++i) {
    const auto& [left, right] = mergePairs[i];
    tokens.push_back(std::string(left) + right);
    merges.push_back(std::string(left) + " " + right);
  }
  types.resize(tokens.size(), normalToken);
  for (size_t i = tokens.size(); i < options.vocabulary; ++i)
    tokens.push_back("<|unused_" + std::to_string(i) + "|>");
  types.resize(tokens.size(), unusedToken);
  ORTHROS_TRY(writer.add("tokenizer.ggml.model", std::string("gpt2")));
  ORTHROS_TRY(writer.add("tokenizer.ggml.pre", std::string("gpt-2")));
  ORTHROS_TRY(writer.add("tokenizer.ggml.tokens", gguf::Array(std::move(tokens))));
  ORTHROS_TRY(writer.add("tokenizer.ggml.token_type", gguf::Array(std::move(types))));
  ORTHROS_TRY(writer.add("tokenizer.ggml.merges", gguf::Array(std::move(merges))));
  ORTHROS_TRY(writer.add("tokenizer.ggml.bos_token_id", messageStart));
  ORTHROS_TRY(writer.add("tokenizer.ggml.eos_token_id", messageEnd));
  ORTHROS_TRY(writer.add("tokenizer.ggml.unknown_token_id", endOfText));
  ORTHROS_TRY(writer.add("tokenizer.ggml.add_bos_token", false));
  return writer.add("tokenizer.chat_template", std::string(chatTemplate));
}

static_assert(firstControl == endOfText);

}  // namespace orthros::model
