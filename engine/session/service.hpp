// The engine as a desktop sees it: requests go in, events come back on the engine's own thread. A real
// service owns the Vulkan queue on one thread; tests use a scripted one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/phase/plan.hpp"
#include "engine/session/ask_request.hpp"
#include "engine/session/run_record.hpp"
#include "engine/session/set_up.hpp"

namespace orthros::session {

// What a front end shows about a loaded set-up.
struct LoadedModel {
  std::string name;      // "SmolLM2-135M-Instruct Orthros"
  std::string planName;  // "orthros"
  std::string planText;  // "window 512 + 64 sinks, last 128 full"
  std::string deviceName;
  bool deviceIsCpu = false;
  uint32_t contextTokens = 0;
  uint64_t memoryBytes = 0;  // on the device: weights, KV and workspace
  uint64_t budgetBytes = 0;
  uint64_t loadNs = 0;
};

// What a request would cost, before it is sent.
struct AskEstimate {
  uint64_t promptTokens = 0;
  uint64_t reusedTokens = 0;  // already in the cache
  uint64_t contextTokens = 0;
  uint64_t orthrosNs = 0;  // predicted prefill time under the loaded plan; 0 where nothing was measured yet
  uint64_t vanillaNs = 0;  // the same under full attention
};

struct AskEvents {
  std::function<void(const Progress&)> progress =
      {};  // stages "tokenise", "prefill" (tokens), "tail" (tokens)
  std::function<void(const std::string&)> text = {};  // next piece of the answer, whole UTF-8 characters
  // Always called once, last; a cancelled run gives a record with finish "cancelled".
  std::function<void(const Result<RunRecord>&)> done = {};
};

// All calls return at once. Events of one request arrive in order on the engine's thread; requests run one at
// a time in order of arrival. A model is named by its slot: 0 the main set-up, 1 the baseline.
class Service {
 public:
  enum Slot : int { mainSlot = 0, baselineSlot = 1 };
  virtual ~Service() = default;
  virtual void load(Slot slot, SetUp setUp, ProgressCallback progress,
                    std::function<void(const Result<LoadedModel>&)> done) = 0;
  virtual void estimate(Slot slot, AskRequest request,
                        std::function<void(const Result<AskEstimate>&)> done) = 0;
  virtual void ask(Slot slot, AskRequest request, AskEvents events) = 0;
  // Ends the request that runs and drops those that wait (their done is called with finish "cancelled" or a
  // cancelled error). Rows already computed stay in the cache.
  virtual void cancel() = 0;
};

// Starts the engine's thread. The destructor cancels, waits for the thread and frees the device.
std::unique_ptr<Service> startService();

}  // namespace orthros::session
