// Where a question is typed. Enter sends, Shift+Enter begins a line; files that are dropped or pasted are
// attached.
#pragma once

#include <QPlainTextEdit>

namespace orthros::ui {

class QuestionEdit : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit QuestionEdit(QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {80, heightOf(1)}; }

 signals:
  void sendRequested();
  void filesOffered(const QStringList& paths);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void inputMethodEvent(QInputMethodEvent* event) override;
  bool canInsertFromMimeData(const QMimeData* source) const override;
  void insertFromMimeData(const QMimeData* source) override;

 private:
  int heightOf(int lines) const;
  void followContents();

  bool composing_ = false;  // an input method holds text that is not final yet
};

// The local files among what was dropped or pasted.
QStringList localFiles(const QMimeData* source);

}  // namespace orthros::ui
