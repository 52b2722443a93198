// A finished run in one line.
#pragma once

#include <string>

#include "engine/session/run_record.hpp"

namespace orthros::cli {

// "first token 1.29 s; prefill 2860 tokens at 386.0/s; tail 128 tokens at 310.2/s; answer 48 tokens at
// 50.1/s; 9 of 14 guessed tokens were right; 12 tokens reused". What is 0 is left out; an answer that was
// cancelled or met the end of the context says so at the end.
std::string summaryOf(const session::RunRecord& record);

}  // namespace orthros::cli
