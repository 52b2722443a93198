// Random vocabularies: the bytes change a sound one, or are a GGUF file. Loading gives an error or a
// vocabulary that can be used.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "engine/gguf/file.hpp"
#include "engine/text/vocabulary.hpp"
#include "tests/fuzz/tokenizer_seeds.hpp"

namespace {

using namespace orthros::text;

// Takes numbers and texts from the fuzzer's bytes.
class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }

  uint32_t number() {
    uint8_t raw[4] = {};
    const size_t count = std::min<size_t>(sizeof raw, bytes_.size());
    std::copy_n(bytes_.begin(), count, raw);
    bytes_ = bytes_.subspan(count);
    uint32_t value = 0;
    std::memcpy(&value, raw, sizeof value);
    return value;
  }

  std::string text() {
    const size_t count = std::min<size_t>(number() % 12, bytes_.size());
    std::string result(reinterpret_cast<const char*>(bytes_.data()), count);
    bytes_ = bytes_.subspan(count);
    return result;
  }

 private:
  std::span<const uint8_t> bytes_;
};

template <class T>
void change(std::vector<T>& list, Input& input, T value) {
  const uint32_t at = input.number();
  if (at % 8 == 0) {
    list.resize(std::min<size_t>(at >> 3, list.size()));
  } else if (at % 8 == 1 || list.empty()) {
    list.push_back(std::move(value));
  } else {
    list[(at >> 3) % list.size()] = std::move(value);
  }
}

void changeOnce(VocabularyData& data, Input& input) {
  switch (input.number() % 8) {
    case 0:
      change(data.tokens, input, input.text());
      break;
    case 1:
      change(data.kinds, input, static_cast<TokenKind>(1 + input.number() % 6));
      break;
    case 2: {
      const uint32_t bits = input.number();
      float score = 0;
      std::memcpy(&score, &bits, sizeof score);
      change(data.scores, input, score);
      break;
    }
    case 3:
      change(data.merges, input, input.text() + " " + input.text());
      break;
    case 4:
      change(data.merges, input, input.text());
      break;
    case 5:
      data.bos = data.eot = input.number() % 400;
      break;
    case 6:
      data.unknown = input.number() % 400;
      break;
    case 7:
      data.addSpacePrefix = data.trimAfterSpecial = input.number() & 1;
      break;
  }
}

void use(const Vocabulary& vocabulary) {
  for (const std::string_view text : {"", "aaaa  aa\n\n", "<|s|><s> <u>\xC3\xA9\xFF", "<0x0A>\x04"}) {
    for (const auto special : {SpecialTokens::plain, SpecialTokens::parse}) {
      const auto tokens = vocabulary.tokenize(text, special);
      if (!tokens) std::abort();
      vocabulary.detokenize(*tokens, true);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(bytes + 1, size - 1);
  if (bytes[0] % 4 == 0) {
    const auto file = orthros::gguf::File::parse(std::as_bytes(rest), "fuzz");
    if (!file) return 0;
    const auto vocabulary = Vocabulary::load(*file);
    if (vocabulary) use(**vocabulary);
    return 0;
  }
  VocabularyData data = bytes[0] % 4 == 1 ? fuzzing::sentencePiece() : fuzzing::bytePairs("llama-bpe");
  for (Input input(rest); !input.empty();) changeOnce(data, input);
  const auto vocabulary = Vocabulary::create(std::move(data));
  if (vocabulary) use(**vocabulary);
  return 0;
}
