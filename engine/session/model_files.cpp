#include "engine/session/model_files.hpp"

#include "engine/base/log.hpp"
#include "engine/phase/plan_gguf.hpp"
#include "engine/phase/plan_json.hpp"
#include "engine/phase/presets.hpp"

namespace orthros::session {
namespace {

std::string tokenText(const text::Vocabulary& vocabulary, std::optional<text::TokenId> token) {
  return token ? std::string(vocabulary.textOf(*token)) : std::string();
}

// The plan keys of `file` become the own plan where there are any.
Status takePlan(const gguf::File& file, ModelFiles& files) {
  ORTHROS_ASSIGN(phase::StoredPlan stored,
                 phase::readPlan(file, files.spec.layers, files.spec.contextTokens));
  files.warnings.insert(files.warnings.end(), stored.warnings.begin(), stored.warnings.end());
  if (stored.present || files.ownPlan.layers() == 0) files.ownPlan = std::move(stored.plan);
  return {};
}

}  // namespace

Result<ModelFiles> openModelFiles(const std::filesystem::path& model,
                                  const std::optional<std::filesystem::path>& adapter) {
  ORTHROS_ASSIGN(gguf::File base, gguf::File::open(model));
  ModelFiles files{.base = std::move(base), .adapter = {}, .spec = {}, .ownPlan = {}, .warnings = {}};
  ORTHROS_ASSIGN(files.spec, model::readSpec(files.base));
  if (adapter) {
    ORTHROS_ASSIGN(files.adapter, model::Adapter::open(*adapter));
    ORTHROS_TRY(files.adapter->checkBase(files.base));
    ORTHROS_TRY(files.adapter->applyTo(files.spec));
  }
  ORTHROS_TRY(takePlan(files.base, files));
  if (files.adapter) ORTHROS_TRY(takePlan(files.adapter->file(), files));
  for (const std::string& warning : files.warnings) log::warn("{}", warning);
  return files;
}

std::string displayName(const ModelFiles& files) {
  const gguf::File& named = files.adapter ? files.adapter->file() : files.base;
  std::string name = named.getOr<std::string>("general.name", std::string()).value_or(std::string());
  constexpr std::string_view suffix = " LoRA";
  if (files.adapter && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name.empty() ? std::filesystem::path(named.name()).stem().string() : name;
}

uint64_t parameterCount(const ModelFiles& files) {
  uint64_t count = 0;
  for (const gguf::Tensor& tensor : files.base.tensors()) count += tensor.elements;
  return count;
}

Result<std::shared_ptr<const text::Vocabulary>> loadVocabulary(const ModelFiles& files) {
  ORTHROS_ASSIGN(auto vocabulary, text::Vocabulary::load(files.base));
  if (vocabulary->size() > files.spec.vocabulary) {
    return fail(ErrorCode::mismatch, files.base.name(),
                "has " + std::to_string(vocabulary->size()) + " tokens but embeddings for " +
                    std::to_string(files.spec.vocabulary),
                "Convert the model again");
  }
  return vocabulary;
}

std::shared_ptr<const text::ChatTemplate> loadChatTemplate(const ModelFiles& files,
                                                           const text::Vocabulary& vocabulary) {
  const auto source = files.base.getOr<std::string>("tokenizer.chat_template", std::string());
  if (!source || source->empty()) return std::make_shared<text::ChatTemplate>(text::ChatTemplate::raw());
  auto parsed = text::ChatTemplate::parse(
      *source, {tokenText(vocabulary, vocabulary.bos()), tokenText(vocabulary, vocabulary.eos())});
  if (parsed) return std::make_shared<text::ChatTemplate>(std::move(*parsed));
  log::warn("{} Conversations are written as plain text instead.", parsed.error().message());
  return std::make_shared<text::ChatTemplate>(text::ChatTemplate::raw());
}

Result<phase::PhasePlan> choosePlan(const std::string& nameOrFile, const phase::PhasePlan& own,
                                    const model::ModelSpec& spec) {
  if (nameOrFile.empty() || nameOrFile == phase::presetNameOf(own)) return own;
  return phase::choosePlan(nameOrFile, spec.layers, spec.contextTokens);
}

cost::ModelShape costShape(const model::ModelSpec& spec, uint64_t weightBytes, model::KvPrecision kv) {
  return {.layers = spec.layers,
          .width = spec.width,
          .heads = spec.heads,
          .kvHeads = spec.kvHeads,
          .headSize = spec.headSize,
          .feedForward = spec.feedForward,
          .vocabulary = spec.vocabulary,
          .weightBytes = weightBytes,
          .kvBytesPerElement = static_cast<uint32_t>(kernels::kvValueBytes(model::kvFormatOf(kv))),
          .kvFactorBytes = static_cast<uint32_t>(kernels::kvFactorBytes(model::kvFormatOf(kv)))};
}

}  // namespace orthros::session
