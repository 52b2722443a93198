#include "engine/evaluate/score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orthros::evaluate {

std::vector<std::pair<uint32_t, float>> topLogits(std::span<const float> logits, uint32_t count) {
  std::vector<std::pair<uint32_t, float>> entries;
  entries.reserve(logits.size());
  for (uint32_t id = 0; id < logits.size(); ++id) {
    if (!std::isnan(logits[id])) entries.emplace_back(id, logits[id]);
  }
  const auto better = [](const auto& a, const auto& b) {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  };
  const size_t kept = std::min<size_t>(count, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end(),
                    better);
  entries.resize(kept);
  return entries;
}

double logSumExp(std::span<const float> logits) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const float logit : logits) largest = std::max(largest, static_cast<double>(logit));
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

Result<Scores> score(session::Session& session, const session::Layout& text, uint32_t top,
                     const ProgressCallback& progress, const CancelToken& cancel) {
  Scores scores;
  double sum = 0.0, decodeSum = 0.0;
  const size_t vocabulary = session.runner().vocabulary();
  const auto receive = [&](uint32_t firstRow, std::span<const float> logits) -> Status {
    for (uint32_t i = 0; i < logits.size() / vocabulary; ++i) {
      const auto row = logits.subspan(i * vocabulary, vocabulary);
      const uint32_t index = firstRow + i;
      if (index + 1 == text.rows()) {
        scores.top = topLogits(row, top);
        scores.logsumexp = logSumExp(row);
        continue;
      }
      const double nll = logSumExp(row) - static_cast<double>(row[text.tokens[index + 1]]);
      sum += nll;
      ++scores.scoredRows;
      if (text.spans.phaseOf(index) == phase::Phase::decode) {
        decodeSum += nll;
        ++scores.scoredDecodeRows;
      }
    }
    return {};
  };
  ORTHROS_TRY(session.read(text, 0, receive, progress, cancel));
  if (scores.scoredRows > 0) scores.meanNll = sum / static_cast<double>(scores.scoredRows);
  if (scores.scoredDecodeRows > 0)
    scores.meanNllDecodeRows = decodeSum / static_cast<double>(scores.scoredDecodeRows);
  return scores;
}

nlohmann::json toJson(const Scores& scores) {
  nlohmann::json top = nlohmann::json::array();
  for (const auto& [id, logit] : scores.top) top.push_back({{"id", id}, {"logit", logit}});
  return {{"top", std::move(top)},
          {"logsumexp", scores.logsumexp},
          {"mean_nll", scores.meanNll},
          {"mean_nll_decode_rows", scores.meanNllDecodeRows},
          {"rows", scores.scoredRows + 1}};
}

}  // namespace orthros::evaluate
