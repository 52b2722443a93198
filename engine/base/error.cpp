#include "engine/base/error.hpp"

namespace orthros {

const char* errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalidArgument:
      return "invalid-argument";
    case ErrorCode::notFound:
      return "not-found";
    case ErrorCode::io:
      return "io";
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::mismatch:
      return "mismatch";
    case ErrorCode::tooLong:
      return "too-long";
    case ErrorCode::outOfMemory:
      return "out-of-memory";
    case ErrorCode::deviceLost:
      return "device-lost";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

std::string Error::message() const {
  std::string text = subject.empty() ? happened : subject + ": " + happened;
  if (!text.empty() && text.back() != '.') text += '.';
  if (!nextStep.empty()) {
    text += ' ' + nextStep;
    if (text.back() != '.') text += '.';
  }
  return text;
}

}  // namespace orthros
