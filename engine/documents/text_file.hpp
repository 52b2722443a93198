// Plain text files as the rest of the program wants them.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.hpp"

namespace orthros::documents {

// The largest file that is read, in bytes.
inline constexpr uint64_t textFileLimitBytes = 64ull * 1024 * 1024;

// The text of a file as UTF-8 with "\n" line ends and without a byte order mark. Reads UTF-8, UTF-16 and
// UTF-32 with a byte order mark, and the older encodings that can be told apart by their statistics (Latin-1
// where in doubt). Errors: notFound and io from the system, tooLong above the limit, malformed for an empty
// or a binary file.
Result<std::string> readTextFile(const std::filesystem::path& path);

// The same for bytes that are already in memory; `subject` names them in errors.
Result<std::string> textFromBytes(std::string_view bytes, const std::string& subject);

}  // namespace orthros::documents
