// A scripted engine: plays loading, reading and answering on its own thread in the order and at the pace that
// a test sets, and keeps the contract of session::Service.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/session/service.hpp"

namespace orthros::test {

struct FakeScript {
  uint64_t contextTokens = 131072;
  uint64_t promptTokens = 3012;
  uint64_t reusedTokens = 0;
  uint32_t tailTokens = 128;
  uint32_t batchTokens = 256;
  std::vector<std::string> pieces = {"The access code ", "is **KESTREL-7392**."};
  std::chrono::microseconds perBatch{0}, perPiece{0}, perLoadStep{0};
  int loadSteps = 4;
  // How many times slower the baseline reads.
  double baselineFactor = 4;
  std::optional<Error> loadError, askError;
  // Asking at the moment when this many pieces were given fails with askError; 0: before any work.
  size_t piecesBeforeError = 0;
};

class FakeService : public session::Service {
 public:
  explicit FakeService(FakeScript script = {});
  ~FakeService() override;

  void load(Slot slot, session::SetUp setUp, ProgressCallback progress,
            std::function<void(const Result<session::LoadedModel>&)> done) override;
  void estimate(Slot slot, session::AskRequest request,
                std::function<void(const Result<session::AskEstimate>&)> done) override;
  void ask(Slot slot, session::AskRequest request, session::AskEvents events) override;
  void cancel() override;

  // For tests; the script may be changed between requests.
  void setScript(const FakeScript& script);
  std::vector<session::AskRequest> asked() const;
  std::vector<session::SetUp> loaded() const;
  std::optional<session::RunRecord> lastRecord() const;
  // Tokens that the fake counts in a text: one per 4 bytes, rounded up.
  static uint64_t tokensOf(const std::string& text) { return (text.size() + 3) / 4; }

 private:
  struct Job {
    std::function<void(const FakeScript&)> run;
    std::function<void()> drop;
  };

  void post(Job job);
  void work();
  bool pause(std::chrono::microseconds time);  // false once cancelled
  void play(Slot slot, const FakeScript& script, const session::AskEvents& events);
  bool read(Slot slot, const FakeScript& script, const session::AskEvents& events,
            session::RunRecord& record);
  bool readPhase(session::RunPhase phase, uint64_t rows, const char* stage,
                 std::chrono::microseconds perBatch, const FakeScript& script,
                 const session::AskEvents& events, session::RunRecord& record);
  bool answer(const FakeScript& script, const session::AskEvents& events, session::RunRecord& record);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  FakeScript script_;
  std::vector<session::AskRequest> asked_;
  std::vector<session::SetUp> loaded_;
  std::optional<session::RunRecord> lastRecord_;
  bool cancelled_ = false;
  bool closing_ = false;
  std::thread thread_;
};

// A record as a real run of `script` would leave it, with times in ns per row.
session::RunRecord makeRecord(session::Service::Slot slot, const FakeScript& script);

}  // namespace orthros::test
