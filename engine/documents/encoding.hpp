// Text of unknown encoding as UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace orthros::documents {

// The name of the encoding of `bytes`, as ICU knows it: from a byte order mark, else UTF-8 where the bytes
// are valid UTF-8, else what their statistics suggest, else windows-1252 (which contains Latin-1).
std::string detectEncoding(std::string_view bytes);

// `bytes` as UTF-8 without a byte order mark. A sequence that the encoding does not allow is an error of code
// malformed, never a replacement character. `subject` names the source in the error.
Result<std::string> toUtf8(std::string_view bytes, const std::string& encoding, const std::string& subject);

}  // namespace orthros::documents
