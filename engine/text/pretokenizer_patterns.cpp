#include "engine/text/pretokenizer_patterns.hpp"

#include <algorithm>
#include <array>

// Source of names, patterns and flags: llama.cpp, src/llama-vocab.cpp, which took the patterns from each
// model's tokenizer.json. Where llama.cpp rewrote a pattern because its own matcher lacks a Unicode class
// (tekken, gpt-4o), the model's original stands here. `\s` and `\S` mean Unicode white space.

namespace orthros::text {
namespace {

using namespace std::literals;

template <size_t N>
using Texts = std::array<std::string_view, N>;

#define ORTHROS_GPT2 R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))"
#define ORTHROS_CONTRACTION R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define ORTHROS_TAIL R"(\s*[\r\n]+|\s+(?!\S)|\s+)"
#define ORTHROS_CASED_HEAD R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define ORTHROS_CASED_BODY R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define ORTHROS_ASCII_PUNCTUATION R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])"

constexpr Texts<4> kDefaultPatterns = {R"([\p{P}\$\+<=>\^~\|]+)"sv, ORTHROS_GPT2 ""sv, R"(\p{N}+)"sv,
                                       R"([0-9][0-9][0-9])"sv};
constexpr Texts<1> kGpt2Patterns = {ORTHROS_GPT2 ""sv};
constexpr Texts<2> kDigitPatterns = {R"(\p{N})"sv, ORTHROS_GPT2 ""sv};
constexpr Texts<3> kFalconPatterns = {R"([\p{P}\$\+<=>\^~\|`]+)"sv, ORTHROS_GPT2 ""sv,
                                      R"([0-9][0-9][0-9])"sv};
constexpr Texts<1> kLlama3Patterns = {
    ORTHROS_CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" ORTHROS_TAIL
                        ""sv};
constexpr Texts<1> kQwen2Patterns = {
    ORTHROS_CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" ORTHROS_TAIL ""sv};
constexpr Texts<1> kQwen35Patterns = {
    ORTHROS_CONTRACTION
    R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" ORTHROS_TAIL ""sv};
constexpr Texts<1> kSeedCoderPatterns = {
    ORTHROS_CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|)" ORTHROS_TAIL ""sv};
constexpr Texts<1> kBailingPatterns = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"sv};
constexpr Texts<5> kDeepSeekCoderPatterns = {R"([\r\n])"sv, R"(\s?\p{L}+)"sv, R"(\s?\p{P}+)"sv,
                                             R"([一-龥ࠀ-一가-\x{D7FF}]+)"sv, R"(\p{N})"sv};
constexpr Texts<3> kDeepSeek3Patterns = {
    R"(\p{N}{1,3})"sv, R"([一-龥぀-ゟ゠-ヿ]+)"sv,
    ORTHROS_ASCII_PUNCTUATION
    R"([A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" ORTHROS_TAIL ""sv};
constexpr Texts<1> kTekkenPatterns = {ORTHROS_CASED_HEAD
                                      "*" ORTHROS_CASED_BODY "+|" ORTHROS_CASED_HEAD "+" ORTHROS_CASED_BODY
                                      R"(*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" ORTHROS_TAIL ""sv};
constexpr Texts<1> kGpt4oPatterns = {ORTHROS_CASED_HEAD
                                     "*" ORTHROS_CASED_BODY "+" ORTHROS_CONTRACTION "?|" ORTHROS_CASED_HEAD
                                     "+" ORTHROS_CASED_BODY "*" ORTHROS_CONTRACTION
                                     R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" ORTHROS_TAIL ""sv};
constexpr Texts<1> kBloomPatterns = {R"( ?[^(\s|.,!?…。，、।۔،)]+)"sv};
constexpr Texts<2> kVikingPatterns = {R"( ?[^(\s|.,!?…。，、।۔،)]+)"sv, R"(\p{N})"sv};

#undef ORTHROS_GPT2
#undef ORTHROS_CONTRACTION
#undef ORTHROS_TAIL
#undef ORTHROS_CASED_HEAD
#undef ORTHROS_CASED_BODY
#undef ORTHROS_ASCII_PUNCTUATION

constexpr Texts<1> kDefaultNames = {"default"};
constexpr Texts<14> kGpt2Names = {"gpt-2",    "phi-2",       "mpt",     "olmo",     "jais",
                                  "gigachat", "a.x-4.0",     "mellum",  "trillion", "granite-docling",
                                  "exaone4",  "modern-bert", "jina-es", "jina-de"};
constexpr Texts<8> kDigitNames = {"smollm",    "starcoder", "refact",     "command-r",
                                  "codeshell", "exaone",    "minerva-7b", "mellum2"};
constexpr Texts<1> kFalconNames = {"falcon"};
constexpr Texts<8> kLlama3Names = {"llama-bpe", "llama3",  "llama-v3", "falcon3",
                                   "falcon-h1", "pixtral", "midm-2.0", "lfm2"};
constexpr Texts<4> kLlama3MergedNames = {"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"};
constexpr Texts<8> kQwen2Names = {"qwen2",  "deepseek-r1-qwen", "stablelm2",  "megrez",
                                  "grok-2", "hunyuan",          "solar-open", "kormo"};
constexpr Texts<1> kQwen35Names = {"qwen35"};
constexpr Texts<1> kSeedCoderNames = {"seed-coder"};
constexpr Texts<3> kBailingNames = {"bailingmoe", "bailingmoe2", "llada-moe"};
constexpr Texts<1> kDeepSeekCoderNames = {"deepseek-coder"};
constexpr Texts<3> kDeepSeek3Names = {"deepseek-v3", "hunyuan-dense", "joyai-llm"};
constexpr Texts<1> kTekkenNames = {"tekken"};
constexpr Texts<4> kGpt4oNames = {"gpt-4o", "llama4", "kanana2", "minimax-m2"};
constexpr Texts<3> kBloomNames = {"bloom", "poro-chat", "gpt3-finnish"};
constexpr Texts<1> kVikingNames = {"viking"};

constexpr PreTokenizerSpec kSpecs[] = {
    {kDefaultNames, kDefaultPatterns},
    {kGpt2Names, kGpt2Patterns},
    {kDigitNames, kDigitPatterns},
    {kFalconNames, kFalconPatterns},
    {kLlama3Names, kLlama3Patterns, true, true},
    {kLlama3MergedNames, kLlama3Patterns},
    {kQwen2Names, kQwen2Patterns},
    {kQwen35Names, kQwen35Patterns},
    {kSeedCoderNames, kSeedCoderPatterns},
    {kBailingNames, kBailingPatterns},
    {kDeepSeekCoderNames, kDeepSeekCoderPatterns},
    {kDeepSeek3Names, kDeepSeek3Patterns},
    {kTekkenNames, kTekkenPatterns, true, true},
    {kGpt4oNames, kGpt4oPatterns},
    {kBloomNames, kBloomPatterns},
    {kVikingNames, kVikingPatterns},
};

}  // namespace

std::span<const PreTokenizerSpec> preTokenizers() {
  return kSpecs;
}

const PreTokenizerSpec* findPreTokenizer(std::string_view name) {
  for (const PreTokenizerSpec& spec : preTokenizers()) {
    if (std::find(spec.names.begin(), spec.names.end(), name) != spec.names.end()) return &spec;
  }
  return nullptr;
}

std::string preTokenizerNames() {
  std::string list;
  for (const PreTokenizerSpec& spec : preTokenizers()) {
    for (const std::string_view name : spec.names) {
      if (!list.empty()) list += ", ";
      list += name;
    }
  }
  return list;
}

}  // namespace orthros::text
