// The line below every page: model, plan, device, memory, context, what the engine does now.
#pragma once

#include <QFrame>

class QLabel;

namespace orthros::ui {

class Bar;
class ChatSession;
class ElidedLabel;
class ModelSlots;

class StatusLine : public QFrame {
  Q_OBJECT

 public:
  StatusLine(ChatSession& chat, ModelSlots& models, QWidget* parent = nullptr);

  QString contextText() const;   // "49,812 of 131,072 tokens"
  QString activityText() const;  // "decode 212 tokens/s"

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  uint64_t memoryBytes() const;
  void showModel();
  void showContext();
  void showActivity();

  ChatSession& chat_;
  ModelSlots& models_;
  ElidedLabel* model_;
  ElidedLabel* plan_;
  ElidedLabel* device_;
  QLabel* memory_;
  QLabel* contextName_;
  Bar* contextBar_;
  QLabel* context_;
  QLabel* activity_;
};

}  // namespace orthros::ui
