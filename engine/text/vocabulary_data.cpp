#include "engine/text/vocabulary_data.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/log.hpp"
#include "engine/text/pretokenizer_patterns.hpp"

namespace orthros::text {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";

std::string keyNamed(std::string_view name) {
  return std::string(kPrefix) + std::string(name);
}

// Reads keys under tokenizer.ggml. and says which one was wrong.
class Keys {
 public:
  explicit Keys(const gguf::File& file) : file_(file) {}

  const gguf::Value* find(std::string_view name) const { return file_.find(keyNamed(name)); }

  template <class T>
  Status read(std::string_view name, T& value) const {
    ORTHROS_ASSIGN(value, file_.getOr<T>(keyNamed(name), std::move(value)));
    return {};
  }

  Status readId(std::string_view name, std::optional<TokenId>& id) const {
    if (!find(name)) return {};
    ORTHROS_ASSIGN(id, file_.get<uint32_t>(keyNamed(name)));
    return {};
  }

  // Leaves `elements` as they are where the key is missing.
  template <class T>
  Status readArray(std::string_view name, std::vector<T>& elements, const char* elementName) const {
    const gguf::Value* value = find(name);
    if (!value) return {};
    const auto* array = std::get_if<gguf::Array>(value);
    const auto* found = array ? std::get_if<std::vector<T>>(array) : nullptr;
    if (!found) return malformed(name, std::string("is not an array of ") + elementName);
    elements = *found;
    return {};
  }

  tl::unexpected<Error> malformed(std::string_view name, std::string happened) const {
    return fail(ErrorCode::malformed, file_.name() + ": " + keyNamed(name), std::move(happened),
                "The file is damaged; get it again");
  }

  Status require(std::string_view name) const {
    if (!find(name)) return malformed(name, "is missing");
    return {};
  }

 private:
  const gguf::File& file_;
};

Status readModel(const gguf::File& file, const Keys& keys, VocabularyData& data) {
  ORTHROS_ASSIGN(const std::string model, file.get<std::string>(keyNamed("model")));
  if (model == "gpt2") {
    data.model = VocabularyModel::bytePair;
    return keys.require("merges");
  }
  if (model == "llama") {
    data.model = VocabularyModel::sentencePiece;
    return keys.require("scores");
  }
  return fail(ErrorCode::unsupported, file.name() + ": " + keyNamed("model"),
              "names the tokenizer '" + model + "', which this version does not know",
              "Known are: gpt2, llama");
}

Status readKinds(const Keys& keys, VocabularyData& data) {
  std::vector<int32_t> numbers;
  ORTHROS_TRY(keys.readArray("token_type", numbers, "i32"));
  data.kinds.reserve(numbers.size());
  for (const int32_t number : numbers) {
    constexpr int32_t kUndefined = 0;
    if (number < kUndefined || number > static_cast<int32_t>(TokenKind::byte)) {
      return keys.malformed("token_type", "holds " + std::to_string(number) + ", which is no kind of token");
    }
    data.kinds.push_back(number == kUndefined ? TokenKind::normal : static_cast<TokenKind>(number));
  }
  return {};
}

// What llama.cpp assumes where a file says nothing.
void setDefaults(VocabularyData& data) {
  if (data.model == VocabularyModel::sentencePiece) {
    const auto withinVocabulary = [&](TokenId id) {
      return id < data.tokens.size() ? std::optional(id) : std::nullopt;
    };
    data.unknown = withinVocabulary(0);
    data.bos = withinVocabulary(1);
    data.eos = withinVocabulary(2);
    data.addBos = true;
  } else if (const PreTokenizerSpec* spec = findPreTokenizer(data.preTokenizer)) {
    data.addBos = spec->addBos;
  }
}

Status readSpecialIds(const Keys& keys, VocabularyData& data) {
  ORTHROS_TRY(keys.readId("bos_token_id", data.bos));
  ORTHROS_TRY(keys.readId("eos_token_id", data.eos));
  ORTHROS_TRY(keys.readId("eot_token_id", data.eot));
  ORTHROS_TRY(keys.readId("eom_token_id", data.eom));
  ORTHROS_TRY(keys.readId("unknown_token_id", data.unknown));
  return keys.readId("padding_token_id", data.padding);
}

// Phi-3's files do not say that their special tokens take the white space after them; their name does.
Result<bool> isPhi3(const gguf::File& file) {
  ORTHROS_ASSIGN(std::string name, file.getOr<std::string>("general.name", {}));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
}

}  // namespace

Result<VocabularyData> readVocabularyData(const gguf::File& file) {
  const Keys keys(file);
  VocabularyData data;
  data.name = file.name();
  ORTHROS_TRY(readModel(file, keys, data));
  if (data.model == VocabularyModel::bytePair && !keys.find("pre")) {
    log::warn("{}: tokenizer.ggml.pre is missing, splitting text the default way", data.name);
  }
  ORTHROS_TRY(keys.read("pre", data.preTokenizer));
  ORTHROS_TRY(keys.require("tokens"));
  ORTHROS_TRY(keys.readArray("tokens", data.tokens, "strings"));
  ORTHROS_TRY(readKinds(keys, data));
  ORTHROS_TRY(keys.readArray("scores", data.scores, "f32"));
  ORTHROS_TRY(keys.readArray("merges", data.merges, "strings"));
  setDefaults(data);
  ORTHROS_TRY(readSpecialIds(keys, data));
  ORTHROS_TRY(keys.read("add_bos_token", data.addBos));
  ORTHROS_TRY(keys.read("add_eos_token", data.addEos));
  ORTHROS_TRY(keys.read("add_space_prefix", data.addSpacePrefix));
  ORTHROS_ASSIGN(data.trimAfterSpecial, isPhi3(file));
  return data;
}

}  // namespace orthros::text
