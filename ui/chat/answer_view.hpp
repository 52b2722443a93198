// An answer as it grows: finished Markdown blocks are written once, only the open last one is written again.
#pragma once

#include <QElapsedTimer>
#include <QTextBrowser>
#include <QTimer>

#include "ui/chat/markdown_splitter.hpp"

namespace orthros::ui {

class AnswerView : public QTextBrowser {
  Q_OBJECT

 public:
  explicit AnswerView(QWidget* parent = nullptr);

  void append(const QString& text);
  void finish();  // no more text: removes the mark at the growing end
  const QString& markdown() const { return markdown_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  QVariant loadResource(int type, const QUrl& name) override;  // nothing is ever fetched

 signals:
  void grew();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void renderPending();
  void writeOpenBlock();
  void writeFinished(const QString& markdown);
  void clearOpenBlock(QTextCursor& cursor);
  void rewrite();
  void followHeight();
  void confirmLink(const QUrl& address);

  QString markdown_;
  QString pending_;  // text not yet in the document
  MarkdownSplitter splitter_;
  int openBegin_ = 0;  // document position of the open block
  bool growing_ = true;
  QTimer renderTimer_;
  QElapsedTimer sinceRender_;
  qint64 restMs_ = 0;  // time to leave to the window before the next rendering
};

}  // namespace orthros::ui
