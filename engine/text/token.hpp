// What a token is: its number, its kind, and whether text may name special tokens.
#pragma once

#include <cstdint>

namespace orthros::text {

using TokenId = uint32_t;

// The values of tokenizer.ggml.token_type.
enum class TokenKind : uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,      // structure of a chat, never text: <|im_start|>
  userDefined = 4,  // text that is always one token
  unused = 5,
  byte = 6,  // one byte, written <0x0A>: SentencePiece's way to spell characters it has no piece for
};

// Whether text such as "<|im_end|>" becomes the control token or its letters. Text of a person or a document
// is always plain; only text that a chat template wrote is parsed.
enum class SpecialTokens : uint8_t { plain, parse };

}  // namespace orthros::text
