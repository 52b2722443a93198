// Stand-ins for a device and a model: logits that are a pure function of all tokens and phases up to a row,
// so that a cache that holds anything but the right rows shows in the text.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/random.hpp"
#include "engine/session/row_runner.hpp"
#include "engine/text/byte_level.hpp"
#include "engine/text/vocabulary.hpp"

namespace orthros::session::fakes {

// 256 byte tokens (id = byte) and two control tokens.
constexpr text::TokenId startToken = 256;
constexpr text::TokenId endToken = 257;
constexpr uint32_t vocabularySize = 258;

// A letter below U+0800 in UTF-8.
inline std::string letterText(uint8_t byte) {
  const char32_t letter = text::letterOfByte(byte);
  if (letter < 0x80) return std::string(1, static_cast<char>(letter));
  return {static_cast<char>(0xc0 | (letter >> 6)), static_cast<char>(0x80 | (letter & 0x3f))};
}

inline std::shared_ptr<const text::Vocabulary> byteVocabulary(bool addBos = false) {
  text::VocabularyData data;
  data.name = "bytes";
  data.preTokenizer = "gpt-2";
  for (int byte = 0; byte < 256; ++byte) {
    data.tokens.push_back(letterText(static_cast<uint8_t>(byte)));
    data.kinds.push_back(text::TokenKind::normal);
  }
  for (const char* control : {"<|im_start|>", "<|im_end|>"}) {
    data.tokens.emplace_back(control);
    data.kinds.push_back(text::TokenKind::control);
  }
  data.bos = startToken;
  data.eos = endToken;
  data.addBos = addBos;
  auto vocabulary = text::Vocabulary::create(std::move(data));
  return vocabulary ? *vocabulary : nullptr;
}

inline std::vector<text::TokenId> bytesOf(const std::string& text) {
  std::vector<text::TokenId> tokens;
  for (const char byte : text) tokens.push_back(static_cast<unsigned char>(byte));
  return tokens;
}

class FakeRunner final : public RowRunner {
 public:
  struct Batch {
    uint32_t begin = 0, rows = 0, wanted = 0;
  };
  // Shared by a runner and its branches.
  struct Script {
    uint32_t capacity = 4096;
    uint32_t maxRows = 64;
    std::function<Status(const Batch&)> beforeBatch;  // may fail or cancel
    std::vector<text::TokenId> forced;                // the answer's tokens, by position from `forcedFrom` on
    uint32_t forcedFrom = 0;
    std::vector<Batch> batches;
    bool running = false;  // the latest batch came with `more`
  };

  explicit FakeRunner(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  uint32_t capacityTokens() const override { return script_->capacity; }
  uint32_t length() const override { return static_cast<uint32_t>(rows_.size()); }
  uint32_t vocabulary() const override { return vocabularySize; }
  uint32_t maxBatchRows() const override { return script_->maxRows; }
  uint64_t cacheBytes() const override { return rows_.size() * 16; }
  void truncate(uint32_t length) override { rows_.resize(std::min<size_t>(length, rows_.size())); }

  Result<RowReport> run(const RowBatch& batch, std::span<float> logits, const CancelToken&) override {
    const Batch what{length(), static_cast<uint32_t>(batch.tokens.size()), batch.wantedRows};
    script_->running = batch.more;
    script_->batches.push_back(what);
    if (script_->beforeBatch) ORTHROS_TRY(script_->beforeBatch(what));
    if (what.begin + what.rows > capacityTokens()) return fail(ErrorCode::tooLong, "cache", "is full");
    for (uint32_t row = 0; row < what.rows; ++row) {
      rows_.emplace_back(batch.tokens[row], batch.phases[row]);
      if (row + what.wanted < what.rows) continue;
      const size_t wantedIndex = row - (what.rows - what.wanted);
      writeLogits(logits.subspan(wantedIndex * vocabularySize, vocabularySize));
    }
    return RowReport{.counts = {.dispatches = 7, .flop = 1000ull * what.rows, .bytes = 100ull * what.rows},
                     .submits = 1};
  }

  Result<std::vector<RowReport>> generate(text::TokenId token, std::span<text::TokenId> chosen,
                                          const CancelToken& cancel) override {
    const uint32_t before = length();
    std::vector<RowReport> reports;
    std::vector<float> logits(vocabularySize);
    constexpr phase::Phase answer[] = {phase::Phase::decode};
    for (text::TokenId& next : chosen) {
      auto report = run({{&token, 1}, answer, 1}, logits, cancel);
      if (!report) {
        truncate(before);
        return fail(report.error());
      }
      reports.push_back(*report);
      next = token =
          static_cast<text::TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    }
    return reports;
  }
  uint32_t maxGeneratedRows() const override { return 5; }

  Result<RowReport> choose(std::span<const text::TokenId> tokens, std::vector<text::TokenId>& chosen,
                           const CancelToken& cancel) override {
    // As attention does, at some rows: fewer rows than asked for.
    const auto rows = std::min<size_t>(tokens.size(), 8 - length() % 8);
    const std::vector<phase::Phase> answer(rows, phase::Phase::decode);
    std::vector<float> logits(rows * vocabularySize);
    ORTHROS_ASSIGN(const RowReport report,
                   run({tokens.first(rows), answer, static_cast<uint32_t>(rows)}, logits, cancel));
    chosen.clear();
    for (auto row = logits.begin(); row != logits.end(); row += vocabularySize)
      chosen.push_back(static_cast<text::TokenId>(std::max_element(row, row + vocabularySize) - row));
    return report;
  }
  uint32_t maxChosenRows() const override { return 8; }
  Status settle() override {
    script_->running = false;
    return {};
  }

  Result<std::unique_ptr<RowRunner>> branch() const override {
    auto copy = std::make_unique<FakeRunner>(script_);
    copy->rows_ = rows_;
    return copy;
  }

 private:
  uint64_t hashOfRows() const {
    uint64_t hash = 1469598103934665603u;
    for (const auto& [token, phase] : rows_)
      hash = (hash ^ (token * 2 + static_cast<uint64_t>(phase))) * 1099511628211u;
    return hash;
  }

  void writeLogits(std::span<float> logits) const {
    Random random(hashOfRows());
    // Letters are likely, control tokens never, so that answers are text.
    for (uint32_t token = 0; token < vocabularySize; ++token) {
      logits[token] = static_cast<float>(random.uniform()) + (token >= 'a' && token <= 'z' ? 2.f : 0.f);
    }
    const size_t at = rows_.size() - std::min<size_t>(rows_.size(), script_->forcedFrom);
    if (script_->forcedFrom > 0 && rows_.size() >= script_->forcedFrom && at < script_->forced.size()) {
      logits[script_->forced[at]] = 10.f;
    }
  }

  std::shared_ptr<Script> script_;
  std::vector<std::pair<text::TokenId, phase::Phase>> rows_;
};

}  // namespace orthros::session::fakes
