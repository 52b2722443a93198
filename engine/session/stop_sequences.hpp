// Ends an answer at stop strings, without ever showing the beginning of one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orthros::session {

class StopSequences {
 public:
  explicit StopSequences(std::vector<std::string> stops);

  // Takes the next piece of the answer and returns the text that can be shown now. Text that may be the
  // beginning of a stop string is held back until it is known. Nothing is returned after a stop.
  std::string push(std::string_view piece);
  // The text held back, once the answer has ended for another reason.
  std::string flush();
  bool stopped() const { return stopped_; }

 private:
  size_t findStop() const;
  size_t heldBytes() const;

  std::vector<std::string> stops_;
  std::string pending_;
  bool stopped_ = false;
};

}  // namespace orthros::session
