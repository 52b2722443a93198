// The documents that go with the next question, with their lengths as the engine counts them.
#pragma once

#include <QObject>
#include <vector>

#include "ui/chat/conversation.hpp"
#include "ui/engine_client/model_slots.hpp"

namespace orthros::ui {

class AttachmentList : public QObject {
  Q_OBJECT

 public:
  AttachmentList(EngineClient& engine, ModelSlots& models, QObject* parent = nullptr);

  const std::vector<Attachment>& items() const { return items_; }
  std::vector<DocumentPtr> documents() const;
  void add(const DocumentPtr& document);  // the same path again replaces the text
  void remove(size_t index);
  std::vector<Attachment> takeAll();
  void putBack(std::vector<Attachment> items);
  // Asks the engine for lengths that are not known yet. Called whenever the engine is free.
  void count();

 signals:
  void changed();

 private:
  void onEstimated(RequestId request, uint64_t promptTokens);
  void forgetCounts();

  EngineClient& engine_;
  ModelSlots& models_;
  std::vector<Attachment> items_;
  // A document's tokens are what it adds to an empty prompt, so the empty prompt is counted once.
  std::optional<uint64_t> emptyPromptTokens_;
  RequestId emptyRequest_ = 0;
  struct Pending {
    RequestId request;
    DocumentPtr document;
  };
  std::vector<Pending> pending_;
};

}  // namespace orthros::ui
