// What reading a model's shape and reading an adapter share: errors that name a key, factors of RoPE
// frequencies.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/gguf/file.hpp"

namespace orthros::model {

inline tl::unexpected<Error> badKey(const gguf::File& file, const std::string& key, std::string happened) {
  return fail(ErrorCode::malformed, file.name() + ": key " + key, std::move(happened),
              "The file does not follow its format; convert the model again");
}

// `pairs` factors, all finite and above 0; `subject` names their key or tensor.
Status checkRopeFactors(const std::string& subject, const std::vector<float>& factors, uint32_t pairs);

}  // namespace orthros::model
