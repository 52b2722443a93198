#include "engine/session/tokens_ahead.hpp"

#include <algorithm>

namespace orthros::session {
namespace {

constexpr uint64_t targetNs = 20'000'000;

}  // namespace

Result<text::TokenId> TokensAhead::next(text::TokenId token, uint32_t row, uint32_t limit,
                                        RunRecorder& recorder, const CancelToken& cancel) {
  if (used_ == tokens_.size()) ORTHROS_TRY(generate(token, limit, recorder, cancel));
  const uint64_t begin = beginNs_ + used_ * rowNs_;
  recorder.add({RunPhase::decode, row, 1}, {begin, begin + rowNs_}, reports_[used_]);
  return tokens_[used_++];
}

Status TokensAhead::generate(text::TokenId token, uint32_t limit, const RunRecorder& recorder,
                             const CancelToken& cancel) {
  const uint32_t room = runner_.capacityTokens() - runner_.length();
  tokens_.resize(std::min({limit, atOnce_, room, runner_.maxGeneratedRows()}));
  used_ = tokens_.size();
  beginNs_ = recorder.elapsedNs();
  ORTHROS_ASSIGN(reports_, runner_.generate(token, tokens_, cancel));
  used_ = 0;
  rowNs_ = (recorder.elapsedNs() - beginNs_) / tokens_.size();
  const auto fitting =
      static_cast<uint32_t>(std::clamp<uint64_t>(targetNs / std::max<uint64_t>(rowNs_, 1), 1, 1024));
  atOnce_ = std::min(fitting, 2 * atOnce_);
  return {};
}

}  // namespace orthros::session
