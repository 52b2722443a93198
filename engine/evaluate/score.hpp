// How well a model predicts a text: likelihood of every token, and the logits of the last row.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/cancel.hpp"
#include "engine/base/result.hpp"
#include "engine/session/session.hpp"

namespace orthros::evaluate {

struct Scores {
  std::vector<std::pair<uint32_t, float>> top;  // (token, logit) of the last row, best first
  double logsumexp = 0.0;                       // of the last row, natural logarithm
  double meanNll = 0.0;            // -ln p(next token) over all rows but the last; 0 for a single row
  double meanNllDecodeRows = 0.0;  // the same over D rows
  uint64_t scoredRows = 0;
  uint64_t scoredDecodeRows = 0;
};

// The largest logits, best first, the lower id first among equals. NaN never counts.
std::vector<std::pair<uint32_t, float>> topLogits(std::span<const float> logits, uint32_t count);
double logSumExp(std::span<const float> logits);

// Reads `text` with logits for every row. Progress as Session::read tells it.
Result<Scores> score(session::Session& session, const session::Layout& text, uint32_t top,
                     const ProgressCallback& progress, const CancelToken& cancel);

// {"top": [{"id", "logit"}...], "logsumexp", "mean_nll", "mean_nll_decode_rows", "rows"}
nlohmann::json toJson(const Scores& scores);

}  // namespace orthros::evaluate
