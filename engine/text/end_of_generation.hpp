// Which tokens end an answer.
#pragma once

#include <vector>

#include "engine/text/token_table.hpp"
#include "engine/text/vocabulary_data.hpp"

namespace orthros::text {

// The tokens that the file's keys name and those whose text is known to mean the end, ascending. The end of a
// turn becomes a control token in `tokens`, whatever the file calls it: no plain text may end a turn.
std::vector<TokenId> endOfGenerationTokens(const VocabularyData& data, TokenTable& tokens);

}  // namespace orthros::text
