// A conversation on a loaded model: reads prompts into the cache under the plan's phase rule, reuses what is
// already there, and generates answers. Not thread-safe: the thread that owns the device owns its sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/phase/plan.hpp"
#include "engine/session/ask_request.hpp"
#include "engine/session/layout.hpp"
#include "engine/session/row_runner.hpp"
#include "engine/session/run_record.hpp"
#include "engine/text/vocabulary.hpp"

namespace orthros::session {

class RunRecorder;
class Sampler;
class TokensAhead;

struct GenerateOptions {
  uint32_t maxTokens = 256;
  Sampling sampling = {};
  std::vector<std::string> stops = {};
  bool stopAtEnd = true;    // at end-of-generation tokens
  uint64_t tokeniseNs = 0;  // spent on the prompt before; the record begins with it
};

struct SessionEvents {
  std::function<void(const Progress&)> progress = {};  // stages "prefill" and "tail", in tokens
  std::function<void(const std::string&)> text = {};   // next piece of the answer, whole UTF-8 characters
};

struct Answer {
  RunRecord record;                   // finish: "end", "length", "context", "stop" or "cancelled"
  std::vector<text::TokenId> tokens;  // as they are (or will be) in the cache, without the end token
};

// Fills RunRecord::predicted and predictedTime from the record's batches and the phases of all rows.
using PredictRun = std::function<void(const phase::PhaseSpans&, RunRecord&)>;

class Session {
 public:
  // `header` brings what a run does not change: model, device, plan, memory. `predict` may be empty.
  Session(std::unique_ptr<RowRunner> runner, std::shared_ptr<const text::Vocabulary> vocabulary,
          phase::PhasePlan plan, RunRecord header, PredictRun predict = {});

  const phase::PhasePlan& plan() const { return plan_; }
  const Layout& cached() const { return cached_; }
  const RunRecord& header() const { return header_; }
  RowRunner& runner() { return *runner_; }

  // Reads `prompt` and generates. Cached rows with the same tokens and phases are reused; of the rest nothing
  // is kept. Errors before any work: tooLong (naming the limit and the tokens asked), invalidArgument for an
  // empty prompt. A cancelled run is no error: its record says so, and the rows computed stay.
  Result<Answer> answer(const Layout& prompt, const GenerateOptions& options, const SessionEvents& events,
                        const CancelToken& cancel);

  // Reads `prompt` and hands the logits [rows, vocabulary] of the rows from `firstWanted` on to `receive`, in
  // order and in pieces. Rows before `firstWanted` may come from the cache.
  using ReceiveLogits = std::function<Status(uint32_t firstRow, std::span<const float> logits)>;
  Status read(const Layout& prompt, uint32_t firstWanted, const ReceiveLogits& receive,
              const std::function<void(const Progress&)>& progress, const CancelToken& cancel);

  // Rows of `prompt` that `answer` would take from the cache.
  uint32_t reusableRows(const Layout& prompt) const;

  void truncate(uint32_t rows);
  // A second session that continues from here on its own; the cache is copied.
  Result<std::unique_ptr<Session>> branch() const;

 private:
  struct Generation;

  Status checkPrompt(const Layout& prompt) const;
  void reserveFor(uint32_t promptRows, uint32_t answerRows);
  Status readRows(const Layout& prompt, uint32_t maxRows, uint32_t firstWanted, const ReceiveLogits& receive,
                  const std::function<void(const Progress&)>& progress, RunRecorder& recorder,
                  const CancelToken& cancel);
  Status runRows(const RowBatch& batch, RunPhase phase, RunRecorder& recorder, const CancelToken& cancel);
  Status generate(const GenerateOptions& options, const SessionEvents& events, RunRecorder& recorder,
                  Generation& generation, const CancelToken& cancel);
  Result<text::TokenId> nextSampled(Sampler& sampler, text::TokenId token, RunRecorder& recorder,
                                    const CancelToken& cancel);
  Result<text::TokenId> nextAhead(TokensAhead& ahead, text::TokenId token, uint32_t limit,
                                  RunRecorder& recorder, const CancelToken& cancel);
  void forgetUncached();

  std::unique_ptr<RowRunner> runner_;
  std::shared_ptr<const text::Vocabulary> vocabulary_;
  phase::PhasePlan plan_;
  RunRecord header_;
  PredictRun predict_;
  Layout cached_;
  std::vector<float> logits_;  // [wanted rows of the last batch, vocabulary]
};

}  // namespace orthros::session
