// One question and what came back: the answer with its figures and, where asked for, the same under full
// attention.
#pragma once

#include <QWidget>

#include "ui/chat/conversation.hpp"

class QLabel;
class QVBoxLayout;

namespace orthros::ui {

class AnswerPanel;
class ChatSession;

class ExchangeView : public QWidget {
  Q_OBJECT

 public:
  ExchangeView(const Exchange& exchange, const std::vector<Attachment>& attachments,
               QWidget* parent = nullptr);

  AnswerPanel* panel(Side side);  // made when first asked for

 signals:
  void grew();
  void compareRequested();
  void phasesRequested();
  void documentChosen(const orthros::ui::DocumentPtr& document);

 private:
  QWidget* makeBubble(const Exchange& exchange, const std::vector<Attachment>& attachments);

  QVBoxLayout* column_;
  AnswerPanel* main_ = nullptr;
  AnswerPanel* vanilla_ = nullptr;
};

}  // namespace orthros::ui
