// What a chat shows before its first question: an invitation, or what keeps it from answering.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace orthros::ui {

class Bar;
class ModelSlots;

class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(ModelSlots& models, QWidget* parent = nullptr);

  // The document that is open and a question it answers; both empty without one.
  void setSuggestion(const QString& documentName, const QString& question);

 signals:
  void questionChosen(const QString& question);
  void openModelRequested();
  void openDocumentRequested();

 private:
  void refresh();
  void showProgress();
  void showFailure();
  void showInvitation();

  ModelSlots& models_;
  QString documentName_, question_;
  QLabel* title_;
  QLabel* text_;
  Bar* bar_;
  QPushButton* suggestion_;
  QPushButton* openDocument_;
  QPushButton* openModel_;
};

}  // namespace orthros::ui
