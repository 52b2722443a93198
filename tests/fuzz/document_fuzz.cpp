// Any bytes as a text document: refused with a named error, or valid UTF-8 without carriage returns or a byte
// order mark, which reads as itself again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/documents/text_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace orthros::documents;
  const auto text = textFromBytes({reinterpret_cast<const char*>(data), size}, "fuzz.txt");
  if (!text) {
    if (text.error().subject.empty() || text.error().happened.empty()) std::abort();
    return 0;
  }
  if (text->empty() || text->find('\r') != std::string::npos || text->starts_with("\xef\xbb\xbf"))
    std::abort();
  const auto again = textFromBytes(*text, "fuzz.txt");
  if (!again || *again != *text) std::abort();
  return 0;
}
