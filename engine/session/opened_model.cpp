#include "engine/session/opened_model.hpp"

#include <chrono>

#include "engine/model/weight_loader.hpp"
#include "engine/phase/plan_json.hpp"
#include "engine/session/memory_plan.hpp"
#include "engine/session/model_files.hpp"
#include "engine/session/probe.hpp"
#include "engine/session/version.hpp"

namespace orthros::session {
namespace {

// Bytes of the workspace, estimated before a device model exists that could tell them: f32 activations of the
// largest batch, and logits. Padding, the parts of split attention and the inputs of a batch are left out;
// sessions record Workspace::bytes().
uint64_t expectedWorkspaceBytes(const model::ModelSpec& spec, const vulkan::DeviceInfo& device) {
  const model::DeviceShape shape = model::DeviceShape::of(spec);
  const uint64_t rows = model::defaultBatchRows(kernels::KernelLibrary::bestFlavour(device), shape);
  return 4 * (rows * shape.workspaceValues() + uint64_t{model::Workspace::logitRows} * shape.vocabulary);
}

uint64_t kvBytesPerToken(const model::ModelSpec& spec, model::KvPrecision kv) {
  const model::DeviceShape shape = model::DeviceShape::of(spec);
  const uint64_t headRow = kernels::kvHeadRowBytes(model::kvFormatOf(kv), shape.heads.headSize);
  return 2ull * spec.layers * shape.heads.kvHeads * headRow;
}

uint64_t availableBytes(const SetUp& setUp, const vulkan::Device& device) {
  uint64_t budget = setUp.memoryBudgetBytes;
  if (budget == 0) {
    for (const vulkan::MemoryHeap& heap : device.memoryHeaps()) {
      if (heap.deviceLocal) budget = std::max(budget, heap.budgetBytes);
    }
  }
  const uint64_t taken = device.allocatedBytes();
  return budget > taken ? budget - taken : 0;
}

// Whether both let every row read the same; their names do not matter.
bool samePlan(phase::PhasePlan a, const phase::PhasePlan& b) {
  a.name = b.name;
  return a == b;
}

}  // namespace

// Loads step by step into an OpenedModel.
class ModelOpener {
 public:
  ModelOpener(const SetUp& setUp, const OpenOptions& options) : opened_(new OpenedModel) {
    opened_->setUp_ = setUp;
    opened_->options_ = options;
  }

  Result<std::shared_ptr<OpenedModel>> open(DevicePool& devices, std::shared_ptr<SpeedBook> speeds,
                                            const ProgressCallback& progress, const CancelToken& cancel) {
    const auto begin = std::chrono::steady_clock::now();
    const SetUp& setUp = opened_->setUp_;
    ORTHROS_ASSIGN(const ModelFiles files, openModelFiles(setUp.model, setUp.adapter));
    ORTHROS_ASSIGN(opened_->vocabulary_, loadVocabulary(files));
    opened_->prompts_ =
        std::make_unique<PromptBuilder>(opened_->vocabulary_, loadChatTemplate(files, *opened_->vocabulary_));
    opened_->name_ = displayName(files);
    opened_->ownPlan_ = files.ownPlan;
    ORTHROS_ASSIGN(opened_->plan_, choosePlan(setUp.plan, files.ownPlan, files.spec));
    ORTHROS_ASSIGN(const auto device, devices.open(setUp.deviceUuid, setUp.validation));
    ORTHROS_TRY(loadWeights(files, device, progress, cancel));
    opened_->speeds_ = std::move(speeds);
    describe(files, *device);
    if (opened_->options_.probe) ORTHROS_TRY(probeSpeed(*opened_, *opened_->speeds_, cancel));
    opened_->header_.ns.load =
        static_cast<uint64_t>((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1));
    return opened_;
  }

 private:
  Status loadWeights(const ModelFiles& files, const std::shared_ptr<vulkan::Device>& device,
                     const ProgressCallback& progress, const CancelToken& cancel) {
    const SetUp& setUp = opened_->setUp_;
    MemoryNeeds needs;
    ORTHROS_ASSIGN(needs.weights,
                   model::plannedWeightBytes(files.base, files.spec, files.adapterOrNull(), setUp.weights));
    needs.workspace = expectedWorkspaceBytes(files.spec, device->info());
    needs.kvPerToken = kvBytesPerToken(files.spec, setUp.kv);
    const uint64_t now = availableBytes(setUp, *device);
    const auto& released = opened_->options_.released;
    const uint64_t available = now + (released.deviceUuid == device->info().uuid ? released.bytes : 0);
    // The weights come while the released memory is still taken, the context grows into it.
    const uint64_t atOnce = needs.weights + needs.workspace <= now ? available : now;
    ORTHROS_ASSIGN(opened_->contextTokens_,
                   planContext(needs, atOnce, setUp.contextTokens, files.spec.contextTokens));
    model::LoadSettings settings;
    settings.weights = setUp.weights;
    settings.kv = setUp.kv;
    ORTHROS_ASSIGN(opened_->model_, model::DeviceModel::load(device, files.base, files.adapterOrNull(),
                                                             settings, progress, cancel));
    opened_->header_.bytes.budget = available;
    opened_->header_.bytes.workspace = needs.workspace;
    return {};
  }

  void describe(const ModelFiles& files, const vulkan::Device& device) {
    const vulkan::DeviceInfo& info = device.info();
    RunRecord& header = opened_->header_;
    header.program = programVersion();
    header.model = {opened_->name_,
                    opened_->setUp_.model.filename().string(),
                    files.spec.architecture,
                    opened_->model_->weightsDescription(),
                    parameterCount(files),
                    opened_->setUp_.adapter ? opened_->setUp_.adapter->filename().string() : std::string()};
    header.device = {info.name, vulkan::deviceTypeName(info.type), info.uuid,
                     info.driverName + " " + info.driverVersion};
    header.bytes.weights = opened_->model_->weightBytes();
    const cost::ModelShape shape = costShape(files.spec, header.bytes.weights, opened_->setUp_.kv);
    opened_->predictor_ = std::make_unique<Predictor>(shape, graphFactsOf(*opened_->model_, shape), info.uuid,
                                                      opened_->speeds_);
  }

  std::shared_ptr<OpenedModel> opened_;
};

Result<std::shared_ptr<OpenedModel>> OpenedModel::open(const SetUp& setUp, DevicePool& devices,
                                                       std::shared_ptr<SpeedBook> speeds,
                                                       const OpenOptions& options,
                                                       const ProgressCallback& progress,
                                                       const CancelToken& cancel) {
  return ModelOpener(setUp, options).open(devices, std::move(speeds), progress, cancel);
}

RunRecord OpenedModel::headerFor(const phase::PhasePlan& plan) const {
  RunRecord header = header_;
  header.plan.name = plan.name;
  header.plan.foreign = !samePlan(plan, ownPlan_);
  header.plan.definition = phase::toJson(plan);
  return header;
}

Result<phase::PhasePlan> OpenedModel::choosePlan(const std::string& nameOrFile) const {
  return session::choosePlan(nameOrFile, ownPlan_, model_->spec());
}

Result<std::unique_ptr<DeviceRows>> OpenedModel::newRows(const phase::PhasePlan& plan,
                                                         uint32_t contextTokens) const {
  return DeviceRows::create(model_, plan, contextTokens ? contextTokens : contextTokens_, options_.tracing);
}

Result<std::unique_ptr<Session>> OpenedModel::newSession(const phase::PhasePlan& plan,
                                                         uint32_t contextTokens) const {
  ORTHROS_ASSIGN(auto rows, newRows(plan, contextTokens));
  RunRecord header = headerFor(plan);
  header.bytes.workspace = rows->workspaceBytes();
  // The model outlives its sessions; rates learnt from one run serve the prediction of the next.
  auto predict = [self = shared_from_this(), plan](const phase::PhaseSpans& spans, RunRecord& record) {
    self->predictor_->fill(plan, spans, record);
    self->speeds_->learn(record);
  };
  return std::make_unique<Session>(std::move(rows), vocabulary_, plan, std::move(header), std::move(predict));
}

}  // namespace orthros::session
