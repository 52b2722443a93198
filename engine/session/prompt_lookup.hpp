// Guesses how a text goes on by looking where its last tokens stood before: an answer about a document quotes
// it. A guess costs no model; the session checks it against the model before it becomes text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/text/token.hpp"

namespace orthros::session {

class PromptLookup {
 public:
  explicit PromptLookup(std::span<const text::TokenId> tokens) { append(tokens); }

  void append(std::span<const text::TokenId> tokens);

  // Up to `most` tokens that followed the latest place where the text's last three tokens stood before, or
  // its last two; none where there is no such place.
  std::vector<text::TokenId> draft(uint32_t most) const;

 private:
  // Where the tokens after n-grams stand; 0: nowhere.
  struct Index {
    uint32_t length;                    // of the n-grams
    std::vector<uint32_t> latest = {};  // by the n-gram's hash
    std::vector<uint32_t> before = {};  // of each token: where the one before with the same hash stands
  };

  void insert(Index& index, uint32_t next) const;
  uint32_t find(const Index& index) const;
  size_t slotOf(const Index& index, uint32_t next) const;
  void grow();

  std::vector<text::TokenId> tokens_;
  std::array<Index, 2> indices_ = {Index{3}, Index{2}};  // the longer is asked first
};

}  // namespace orthros::session
