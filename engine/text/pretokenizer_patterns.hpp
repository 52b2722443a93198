// The splitting patterns that tokenizer.ggml.pre may name, as data.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orthros::text {

struct PreTokenizerSpec {
  std::span<const std::string_view> names;     // values of tokenizer.ggml.pre
  std::span<const std::string_view> patterns;  // each splits further what the ones before it left
  bool wholeWords = false;                     // a word that is a token is taken without merging
  bool addBos = false;                         // where tokenizer.ggml.add_bos_token is missing
};

std::span<const PreTokenizerSpec> preTokenizers();

// Null for a name this build does not know.
const PreTokenizerSpec* findPreTokenizer(std::string_view name);

// All names, separated by commas, for errors.
std::string preTokenizerNames();

}  // namespace orthros::text
