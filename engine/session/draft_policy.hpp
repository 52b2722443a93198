// Whether guessed tokens are worth checking: only where a checked token has lately taken less time than a
// generated one. After a loss it waits, each time twice as long. And how many of them: few until all were
// right.
#pragma once

#include <algorithm>
#include <cstdint>

namespace orthros::session {

class DraftPolicy {
 public:
  // Asked whenever there is a guess.
  bool accepts() {
    if (wait_ == 0) return true;
    --wait_;
    return false;
  }

  // Tokens to guess.
  uint32_t length() const { return length_; }

  // What `tokens` tokens have taken.
  void generated(uint64_t ns, uint32_t tokens) { generated_.add(ns, tokens); }
  // The same of a check of `rows` rows, `tokens` of them right.
  void checked(uint64_t ns, uint32_t tokens, uint32_t rows) {
    checked_.add(ns, tokens);
    length_ = tokens == rows ? many : few;
    lastWait_ = pays() ? 0 : std::clamp(2 * lastWait_, 1u, longestWait);
    wait_ = lastWait_;
  }

  // Whether checking is the faster way; unknown, and therefore false, until both were tried.
  bool isFaster() const { return generated_.known() && checked_.known() && pays(); }

 private:
  static constexpr uint32_t longestWait = 64;  // guesses
  // With the row of the token before them, what the matrix-vector kernels are compiled for.
  static constexpr uint32_t few = 3, many = 7;

  // Time per token of the last few calls.
  class Pace {
   public:
    void add(uint64_t ns, uint32_t tokens) {
      ns_ = kept * ns_ + static_cast<double>(ns);
      tokens_ = kept * tokens_ + tokens;
    }
    bool known() const { return tokens_ > 0; }
    double nsPerToken() const { return ns_ / tokens_; }

   private:
    static constexpr double kept = 0.75;  // of the past, at each call
    double ns_ = 0, tokens_ = 0;
  };

  bool pays() const { return !generated_.known() || checked_.nsPerToken() < generated_.nsPerToken(); }

  Pace generated_, checked_;
  uint32_t wait_ = 0, lastWait_ = 0;
  uint32_t length_ = few;
};

}  // namespace orthros::session
