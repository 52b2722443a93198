// What a failed call reports. Every function of the engine that can fail returns Result<T>.
#pragma once

#include <string>

namespace orthros {

enum class ErrorCode {
  invalidArgument,  // the caller asked for something impossible
  notFound,
  io,           // the operating system refused to read or write
  malformed,    // a file's contents break its format
  unsupported,  // well-formed, but this build cannot do it
  mismatch,     // two things that must belong together do not
  tooLong,      // more tokens than the context holds
  outOfMemory,
  deviceLost,
  cancelled,
  internal,
};

// The code's name as it appears in JSON and logs.
const char* errorCodeName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string subject;   // the thing it happened to: a path, a key, a tensor, a device
  std::string happened;  // what happened, a sentence without a full stop
  std::string nextStep;  // what the person can do now; may be empty

  // "subject: happened. nextStep."
  std::string message() const;
};

}  // namespace orthros
