// The conversation from top to bottom. Scrolls along with a growing answer only while the reader is at its
// end.
#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/chat/conversation.hpp"

class QVBoxLayout;

namespace orthros::ui {

class ChatSession;
class EmptyState;
class ExchangeView;

class ConversationView : public QScrollArea {
  Q_OBJECT

 public:
  ConversationView(ChatSession& chat, EmptyState* emptyState, QWidget* parent = nullptr);

  ExchangeView* last() const { return exchanges_.empty() ? nullptr : exchanges_.back(); }
  bool isAtEnd() const { return atEnd_; }
  void scrollToEnd();

 signals:
  void phasesRequested();
  void documentChosen(const orthros::ui::DocumentPtr& document);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void connectChat();
  void addExchange();
  void removeLast();
  void clear();
  void showEmptyState();
  void showActivity();
  void followEnd();

  ChatSession& chat_;
  EmptyState* emptyState_;
  QWidget* column_;
  QVBoxLayout* layout_;
  std::vector<ExchangeView*> exchanges_;
  bool atEnd_ = true;
  bool scrolling_ = false;
};

}  // namespace orthros::ui
