#include "engine/documents/text_file.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/base/file.hpp"
#include "engine/documents/encoding.hpp"

namespace orthros::documents {
namespace {

bool isWide(const std::string& encoding) {
  return encoding.starts_with("UTF-16") || encoding.starts_with("UTF-32");
}

// A control character that no text file has: all of C0 except tab, line ends, form feed and escape, and
// delete.
bool isBinaryControl(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != 0x1B) ||
         byte == 0x7F;
}

// Text has no NUL and next to no control characters. One in 256 is what a stray control in old mail archives
// needs.
bool looksBinary(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return true;
  const auto controls = static_cast<size_t>(std::count_if(text.begin(), text.end(), isBinaryControl));
  return controls > 0 && controls > text.size() / 256;
}

// "\r\n" and a lone "\r" become "\n".
void normaliseLineEnds(std::string& text) {
  if (text.find('\r') == std::string::npos) return;
  size_t out = 0;
  for (size_t in = 0; in < text.size(); ++in) {
    const bool carriageReturn = text[in] == '\r';
    if (carriageReturn && in + 1 < text.size() && text[in + 1] == '\n') continue;
    text[out++] = carriageReturn ? '\n' : text[in];
  }
  text.resize(out);
}

tl::unexpected<Error> binaryError(const std::string& subject) {
  return fail(ErrorCode::malformed, subject, "is not a text file: it holds binary data",
              "Open a plain text file, or export the document as text first");
}

}  // namespace

Result<std::string> textFromBytes(std::string_view bytes, const std::string& subject) {
  const std::string encoding = detectEncoding(bytes);
  if (!isWide(encoding) && looksBinary(bytes)) return binaryError(subject);
  ORTHROS_ASSIGN(std::string text, toUtf8(bytes, encoding, subject));
  normaliseLineEnds(text);
  if (looksBinary(text)) return binaryError(subject);
  if (text.find_first_not_of(" \t\n\f") == std::string::npos)
    return fail(ErrorCode::malformed, subject, "is empty", "Choose a file with text in it");
  return text;
}

Result<std::string> readTextFile(const std::filesystem::path& path) {
  ORTHROS_ASSIGN(const std::string bytes, readFile(path, textFileLimitBytes));
  return textFromBytes(bytes, path.string());
}

}  // namespace orthros::documents
