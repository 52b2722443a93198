// Greedy answer tokens, chosen on the device a few rows ahead of the text: as many at once as take about 20
// ms, so that the device does not wait for the host and the text still flows.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/session/row_runner.hpp"
#include "engine/session/run_recorder.hpp"

namespace orthros::session {

class TokensAhead {
 public:
  explicit TokensAhead(RowRunner& runner) : runner_(runner) {}

  // The token that follows `token`, whose row is row `row` of the cache, and recorded as such. Where rows
  // have to be computed it is up to `limit` of them: the runner's cache may then be longer than the answer,
  // and whoever stops truncates it.
  Result<text::TokenId> next(text::TokenId token, uint32_t row, uint32_t limit, RunRecorder& recorder,
                             const CancelToken& cancel);

 private:
  Status generate(text::TokenId token, uint32_t limit, const RunRecorder& recorder,
                  const CancelToken& cancel);

  RowRunner& runner_;
  std::vector<text::TokenId> tokens_;  // of the latest call; the first used_ are known to the session
  std::vector<RowReport> reports_;
  size_t used_ = 0;
  uint32_t atOnce_ = 1;
  uint64_t beginNs_ = 0;
  uint64_t rowNs_ = 0;
};

}  // namespace orthros::session
