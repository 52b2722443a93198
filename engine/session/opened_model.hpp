// A set-up, loaded: model, adapter, plan and vocabulary on one device. Front ends make sessions from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/cancel.hpp"
#include "engine/model/device_model.hpp"
#include "engine/phase/plan.hpp"
#include "engine/session/device_pool.hpp"
#include "engine/session/device_rows.hpp"
#include "engine/session/predictor.hpp"
#include "engine/session/prompt.hpp"
#include "engine/session/run_record.hpp"
#include "engine/session/session.hpp"
#include "engine/session/set_up.hpp"
#include "engine/session/speed_book.hpp"

namespace orthros::session {

struct OpenOptions {
  bool tracing = true;  // device times per operation in every record
  bool probe = true;    // run a few rows after loading: pipelines are compiled, first rates are known
  // Device memory that is given back once the model is open: that of the model it takes the place of.
  struct {
    std::string deviceUuid;
    uint64_t bytes = 0;
  } released = {};
};

class OpenedModel : public std::enable_shared_from_this<OpenedModel> {
 public:
  // Progress: stage "load" in bytes of weights. Errors: those of the files, the plan, memory planning, the
  // device.
  static Result<std::shared_ptr<OpenedModel>> open(const SetUp& setUp, DevicePool& devices,
                                                   std::shared_ptr<SpeedBook> speeds,
                                                   const OpenOptions& options,
                                                   const ProgressCallback& progress,
                                                   const CancelToken& cancel);

  const SetUp& setUp() const { return setUp_; }
  const std::string& name() const { return name_; }
  model::DeviceModel& deviceModel() const { return *model_; }
  const std::shared_ptr<const text::Vocabulary>& vocabulary() const { return vocabulary_; }
  const PromptBuilder& prompts() const { return *prompts_; }
  const Predictor& predictor() const { return *predictor_; }
  const phase::PhasePlan& plan() const { return plan_; }  // the one the set-up chose
  uint32_t contextTokens() const { return contextTokens_; }
  uint64_t loadNs() const { return header_.ns.load; }
  // Model, device, plan and memory as records show them.
  RunRecord headerFor(const phase::PhasePlan& plan) const;

  // A plan by name or file; empty: the one that belongs to the adapter or model.
  Result<phase::PhasePlan> choosePlan(const std::string& nameOrFile) const;
  Result<std::unique_ptr<DeviceRows>> newRows(const phase::PhasePlan& plan, uint32_t contextTokens) const;
  // `contextTokens` 0: all of contextTokens().
  Result<std::unique_ptr<Session>> newSession(const phase::PhasePlan& plan, uint32_t contextTokens = 0) const;

 private:
  OpenedModel() = default;
  friend class ModelOpener;

  SetUp setUp_;
  OpenOptions options_;
  std::string name_;
  std::shared_ptr<SpeedBook> speeds_;
  std::shared_ptr<model::DeviceModel> model_;
  std::shared_ptr<const text::Vocabulary> vocabulary_;
  std::unique_ptr<PromptBuilder> prompts_;
  std::unique_ptr<Predictor> predictor_;
  phase::PhasePlan ownPlan_;
  phase::PhasePlan plan_;
  uint32_t contextTokens_ = 0;
  RunRecord header_;
};

}  // namespace orthros::session
