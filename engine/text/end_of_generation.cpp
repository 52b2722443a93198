#include "engine/text/end_of_generation.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace orthros::text {
namespace {

// Source of both lists: llama.cpp, src/llama-vocab.cpp (special_eog_ids). These mean the end of a turn in any
// file.
constexpr std::string_view kTurnEnds[] = {
    "<|eot_id|>", "<|im_end|>", "<|end|>",       "<|return|>",         "<|call|>",
    "<|calls|>",  "<|flush|>",  "<end_of_turn>", "<|endoftext|>",      "<|end_of_text|>",
    "<|eom_id|>", "<|EOT|>",    "<turn|>",       "<end_of_utterance>", "<｜end▁of▁sentence｜>",
};

// These may be text (Gemma has </s> as a tag of HTML), so they count only where the file calls them control
// tokens. The last ones stand between the files of a repository in what code models write.
constexpr std::string_view kTextEnds[] = {
    "</s>",      "<eos>",     "<EOT>",        "_<EOT>",        "[EOT]",      "[EOS]",      "<|fim_pad|>",
    "<fim-pad>", "<fim_pad>", "<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<reponame>", "<|file_sep|>",
};

constexpr std::string_view kHarmonyEnd = "<|end|>";
constexpr std::array<std::string_view, 2> kHarmonyMarks = {"<|return|>", "<|call|>"};
constexpr std::array<std::string_view, 2> kSolarMarks = {"<|calls|>", "<|flush|>"};

// In these formats <|end|> closes one message of several in an answer.
bool endsOnlyAMessage(const TokenTable& tokens) {
  const auto has = [&](std::string_view text) { return tokens.find(text).has_value(); };
  return std::all_of(kHarmonyMarks.begin(), kHarmonyMarks.end(), has) ||
         std::all_of(kSolarMarks.begin(), kSolarMarks.end(), has);
}

}  // namespace

std::vector<TokenId> endOfGenerationTokens(const VocabularyData& data, TokenTable& tokens) {
  std::set<TokenId> ends;
  for (const std::string_view text : kTurnEnds) {
    const auto token = tokens.find(text);
    if (!token || (text == kHarmonyEnd && endsOnlyAMessage(tokens))) continue;
    tokens.setKind(*token, TokenKind::control);
    ends.insert(*token);
  }
  for (const std::string_view text : kTextEnds) {
    const auto token = tokens.find(text);
    if (token && tokens.kind(*token) == TokenKind::control) ends.insert(*token);
  }
  for (const auto& token : {data.eos, data.eot, data.eom}) {
    if (token) ends.insert(*token);
  }
  return {ends.begin(), ends.end()};
}

}  // namespace orthros::text
