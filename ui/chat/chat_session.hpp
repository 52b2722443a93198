// One conversation with the engine: sends questions, collects answers, runs the comparison with full
// attention after them. Knows no widget.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <optional>
#include <vector>

#include "ui/chat/attachment_list.hpp"
#include "ui/chat/conversation.hpp"
#include "ui/chat/estimator.hpp"
#include "ui/chat/reading_progress.hpp"
#include "ui/engine_client/engine_client.hpp"
#include "ui/engine_client/model_slots.hpp"

namespace orthros::ui {

enum class Activity { idle, reading, answering };

class ChatSession : public QObject {
  Q_OBJECT

 public:
  ChatSession(EngineClient& engine, ModelSlots& models, QObject* parent = nullptr);

  const std::vector<Exchange>& exchanges() const { return exchanges_; }
  AttachmentList& attachments() { return attachments_; }
  const Estimator& estimator() const { return estimator_; }
  const std::vector<Attachment>& sentAttachments() const { return sent_; }  // of the running question
  Activity activity() const { return activity_; }
  Side side() const { return side_; }  // who answers while not idle
  bool stopping() const { return stopping_; }
  const ReadingProgress& reading() const { return reading_; }
  uint64_t contextTokens() const {
    return contextTokens_;
  }  // held by the conversation, as the engine counted them
  bool comparing() const { return compare_; }
  bool canSend(const QString& question) const;
  bool canCompareLast() const;

  void setDraft(const QString& draft);
  void setLongestAnswer(uint32_t tokens) { longestAnswerTokens_ = tokens; }
  void setSuggestion(const QString& question);  // priced while the draft is empty
  bool send(const QString& question);           // false where nothing was sent
  void stop();
  void startOver();               // forgets questions and answers; their documents are attached again
  void setCompare(bool compare);  // run full attention after each answer
  void compareLast();

 signals:
  void exchangeAdded();
  void answerGrew(orthros::ui::Side side, const QString& text);
  void answerEnded(orthros::ui::Side side);
  // The last exchange is gone and its question belongs into the draft again. `reason` is for the person to
  // read.
  void retracted(const QString& question, const QString& reason, bool isError);
  void comparisonBegan();
  void activityChanged();
  void readingChanged();
  void contextChanged();
  void compareChanged();
  void cleared();

 private:
  std::optional<session::AskRequest> draftRequest() const;
  session::AskRequest makeRequest(const std::vector<Exchange>& before, const QString& question,
                                  const std::vector<DocumentPtr>& documents) const;
  void begin(Side side, RequestId request);
  void onProgress(RequestId request, const StageProgress& progress);
  void onText(RequestId request, const QString& text);
  void onFinished(RequestId request, const RunRecordPtr& record);
  void onFailed(RequestId request, const Error& error);
  void onModelChanged(session::Service::Slot slot);
  void endAnswer();
  void retract(const QString& reason, bool isError);
  void startComparison();
  void askBaseline();
  void becomeIdle();

  EngineClient& engine_;
  ModelSlots& models_;
  AttachmentList attachments_;
  Estimator estimator_;
  std::vector<Exchange> exchanges_;
  std::vector<Attachment> sent_;  // attachments of the running question, for putting back
  QString draft_, suggestion_;
  uint32_t longestAnswerTokens_ = 512;
  Activity activity_ = Activity::idle;
  Side side_ = Side::main;
  bool stopping_ = false;
  bool compare_ = false;
  bool waitingForBaseline_ = false;
  RequestId request_ = 0;
  ReadingProgress reading_;
  uint64_t readBefore_ = 0;               // tokens of the phases that are through
  uint64_t expectedTokens_ = 0;           // to read in all, from the estimate
  std::optional<uint64_t> reusedTokens_;  // of the prompt, from the estimate
  QElapsedTimer phaseClock_;
  uint64_t contextTokens_ = 0;
};

}  // namespace orthros::ui
