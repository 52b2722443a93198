// What a set-up's files say, read without a device: shape, vocabulary, template and plan.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cost/events.hpp"
#include "engine/gguf/file.hpp"
#include "engine/model/adapter.hpp"
#include "engine/model/spec.hpp"
#include "engine/phase/plan.hpp"
#include "engine/session/set_up.hpp"
#include "engine/text/chat_template.hpp"
#include "engine/text/vocabulary.hpp"

namespace orthros::session {

struct ModelFiles {
  gguf::File base;
  std::optional<model::Adapter> adapter;  // checked against the base
  model::ModelSpec spec;                  // with the adapter's changes
  phase::PhasePlan ownPlan;               // the adapter's, the model's, or vanilla
  std::vector<std::string> warnings;      // sentences

  const model::Adapter* adapterOrNull() const { return adapter ? &*adapter : nullptr; }
};

// Errors name the file and the field.
Result<ModelFiles> openModelFiles(const std::filesystem::path& model,
                                  const std::optional<std::filesystem::path>& adapter);

// "SmolLM2-135M-Instruct Orthros"
std::string displayName(const ModelFiles& files);
uint64_t parameterCount(const ModelFiles& files);

Result<std::shared_ptr<const text::Vocabulary>> loadVocabulary(const ModelFiles& files);
// The file's template; raw() with a warning in the log where it has none or one that does not parse.
std::shared_ptr<const text::ChatTemplate> loadChatTemplate(const ModelFiles& files,
                                                           const text::Vocabulary& vocabulary);

// `nameOrFile` empty: `own`. A preset that `own` is an instance of gives `own`, with its sizes.
Result<phase::PhasePlan> choosePlan(const std::string& nameOrFile, const phase::PhasePlan& own,
                                    const model::ModelSpec& spec);

cost::ModelShape costShape(const model::ModelSpec& spec, uint64_t weightBytes, model::KvPrecision kv);

}  // namespace orthros::session
