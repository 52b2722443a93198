// Where the next question is put together: attachments, what they cost, the question, and the buttons.
#pragma once

#include <QFrame>

#include "ui/chat/conversation.hpp"

class QAction;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace orthros::ui {

class ChatSession;
class QuestionEdit;

class Composer : public QFrame {
  Q_OBJECT

 public:
  explicit Composer(ChatSession& chat, QWidget* parent = nullptr);

  QString draft() const;
  void setDraft(const QString& text);
  void focusQuestion();
  // A line above the question; an error keeps it until the draft changes or a question is sent.
  void showMessage(const QString& text, bool isError);
  void clearMessage();

 public slots:
  void send();

 signals:
  void attachRequested();
  void filesOffered(const QStringList& paths);
  void documentChosen(const orthros::ui::DocumentPtr& document);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeAttachmentRow();
  QHBoxLayout* makeButtonRow();
  void connectChat();
  void showAttachments();
  void showEstimate();
  void showActivity();

  ChatSession& chat_;
  QLabel* message_;
  QWidget* attachmentRow_;
  QLabel* cost_;
  QLabel* costTag_;
  QuestionEdit* question_;
  QPushButton* attach_;
  QLabel* total_;
  QLabel* hint_;
  QPushButton* stop_;
  QPushButton* send_;
};

}  // namespace orthros::ui
