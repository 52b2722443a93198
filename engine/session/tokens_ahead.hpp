// Greedy answer tokens, chosen on the device a few rows ahead of the text: as many at once as take about 20
// ms, so that the device does not wait for the host and the text still flows. Where the text so far suggests
// how it goes on (PromptLookup), the suggestion is computed in one batch and kept as far as the model agrees;
// the text is the same either way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/session/draft_policy.hpp"
#include "engine/session/prompt_lookup.hpp"
#include "engine/session/row_runner.hpp"
#include "engine/session/run_recorder.hpp"

namespace orthros::session {

class TokensAhead {
 public:
  // `cached` are the tokens of the runner's cache.
  TokensAhead(RowRunner& runner, std::span<const text::TokenId> cached, bool promptLookup);

  // The token that follows `token`, whose row is row `row` of the cache, and recorded as such. Where rows
  // have to be computed it is up to `limit` of them: the runner's cache may then be longer than the answer,
  // and whoever stops truncates it.
  Result<text::TokenId> next(text::TokenId token, uint32_t row, uint32_t limit, RunRecorder& recorder,
                             const CancelToken& cancel);

 private:
  Status compute(text::TokenId token, uint32_t limit, RunRecorder& recorder, const CancelToken& cancel);
  Status generate(text::TokenId token, uint32_t limit, const RunRecorder& recorder,
                  const CancelToken& cancel);
  Status check(text::TokenId token, std::span<const text::TokenId> draft, RunRecorder& recorder,
               const CancelToken& cancel);
  void record(uint32_t row, RunRecorder& recorder) const;

  RowRunner& runner_;
  std::optional<PromptLookup> lookup_;
  DraftPolicy policy_;

  // Of the latest call.
  std::vector<text::TokenId> tokens_;  // the first used_ are known to the session
  size_t used_ = 0;
  std::vector<RowReport> reports_;  // of each row, or one of all checked rows
  uint32_t checkedRows_ = 0;        // 0 where they were generated
  uint64_t beginNs_ = 0, endNs_ = 0;

  uint32_t atOnce_ = 1;
};

}  // namespace orthros::session
