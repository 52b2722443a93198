// What a person asks of a loaded model: the conversation so far, documents, and how the answer is chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orthros::session {

struct Sampling {
  float temperature = 0.f;  // 0: greedy
  uint32_t topK = 0;        // 0: off
  float topP = 1.f;
  float minP = 0.f;
  float repetitionPenalty = 1.f;
  uint32_t repetitionWindow = 64;  // tokens
  uint64_t seed = 0;
  // Guess tokens of a greedy answer from the text before and check several at once, where that is faster. The
  // answer is the same.
  bool promptLookup = true;
};

struct Turn {
  std::string role;  // "system", "user", "assistant"
  std::string text;
};

struct AskRequest {
  std::vector<Turn> turns = {};             // the last one is the user's question
  std::vector<std::string> documents = {};  // UTF-8 texts, put before the question in this order
  uint32_t maxTokens = 256;
  Sampling sampling = {};
  std::vector<std::string> stops = {};  // the answer ends before the first of these strings
};

}  // namespace orthros::session
