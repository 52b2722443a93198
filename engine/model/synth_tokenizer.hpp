// The tokenizer keys of a generated model: bytes, three control tokens, a few merges.
#pragma once

#include "engine/gguf/writer.hpp"
#include "engine/model/synth.hpp"

namespace orthros::model {

Status addTokenizer(const SynthOptions& options, gguf::Writer& writer);

}  // namespace orthros::model
