#include "engine/session/tokens_ahead.hpp"

#include <algorithm>

namespace orthros::session {
namespace {

constexpr uint64_t targetNs = 20'000'000;
// Generated at once where guesses are the faster way: the next one may come soon.
constexpr uint32_t betweenDrafts = 4;

}  // namespace

TokensAhead::TokensAhead(RowRunner& runner, std::span<const text::TokenId> cached, bool promptLookup)
    : runner_(runner) {
  if (promptLookup) lookup_.emplace(cached);
}

Result<text::TokenId> TokensAhead::next(text::TokenId token, uint32_t row, uint32_t limit,
                                        RunRecorder& recorder, const CancelToken& cancel) {
  if (lookup_) lookup_->append({&token, 1});
  if (used_ == tokens_.size()) ORTHROS_TRY(compute(token, limit, recorder, cancel));
  record(row, recorder);
  return tokens_[used_++];
}

Status TokensAhead::compute(text::TokenId token, uint32_t limit, RunRecorder& recorder,
                            const CancelToken& cancel) {
  const uint32_t most = std::min(limit, runner_.capacityTokens() - runner_.length());
  std::vector<text::TokenId> draft;
  if (lookup_) draft = lookup_->draft(std::min({policy_.length(), most - 1, runner_.maxChosenRows() - 1}));
  tokens_.clear();
  used_ = 0;
  beginNs_ = recorder.elapsedNs();
  const bool checks = !draft.empty() && policy_.accepts();
  ORTHROS_TRY(checks ? check(token, draft, recorder, cancel) : generate(token, most, recorder, cancel));
  return {};
}

Status TokensAhead::generate(text::TokenId token, uint32_t limit, const RunRecorder& recorder,
                             const CancelToken& cancel) {
  std::vector<text::TokenId> chosen(std::min({limit, atOnce_, runner_.maxGeneratedRows()}));
  ORTHROS_ASSIGN(reports_, runner_.generate(token, chosen, cancel));
  tokens_ = std::move(chosen);
  checkedRows_ = 0;
  endNs_ = recorder.elapsedNs();
  const uint64_t rowNs = std::max<uint64_t>((endNs_ - beginNs_) / tokens_.size(), 1);
  policy_.generated(endNs_ - beginNs_, static_cast<uint32_t>(tokens_.size()));
  const auto fitting = static_cast<uint32_t>(std::clamp<uint64_t>(targetNs / rowNs, 1, 1024));
  atOnce_ = std::min({fitting, 2 * atOnce_, policy_.isFaster() ? betweenDrafts : fitting});
  return {};
}

Status TokensAhead::check(text::TokenId token, std::span<const text::TokenId> draft, RunRecorder& recorder,
                          const CancelToken& cancel) {
  const uint32_t begin = runner_.length();
  std::vector<text::TokenId> tokens = {token};
  tokens.insert(tokens.end(), draft.begin(), draft.end());
  std::vector<text::TokenId> chosen;
  ORTHROS_ASSIGN(RowReport report, runner_.choose(tokens, chosen, cancel));
  reports_ = {std::move(report)};
  checkedRows_ = static_cast<uint32_t>(chosen.size());
  // A row is right where its token is what follows the row before.
  uint32_t right = 1;
  while (right < checkedRows_ && chosen[right - 1] == tokens[right]) ++right;
  runner_.truncate(begin + right);
  chosen.resize(right);
  tokens_ = std::move(chosen);
  endNs_ = recorder.elapsedNs();
  policy_.checked(endNs_ - beginNs_, right, checkedRows_);
  recorder.record().lengths.drafted += checkedRows_ - 1;
  recorder.record().lengths.accepted += right - 1;
  return {};
}

// The row of the token that is handed out. Checked rows are one event, recorded with the first of them.
void TokensAhead::record(uint32_t row, RunRecorder& recorder) const {
  if (checkedRows_ == 0) {
    const uint64_t rowNs = (endNs_ - beginNs_) / tokens_.size();
    const uint64_t begin = beginNs_ + used_ * rowNs;
    recorder.add({RunPhase::decode, row, 1}, {begin, begin + rowNs}, reports_[used_]);
  } else if (used_ == 0) {
    recorder.addChecked(row, checkedRows_, {beginNs_, endNs_}, reports_.front());
  } else {
    recorder.keepChecked();
  }
}

}  // namespace orthros::session
