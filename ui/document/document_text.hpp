// A document's text to read: serif, generous lines, filled piece by piece so that a large file never holds
// the window.
#pragma once

#include <QTextEdit>
#include <QTimer>

#include "ui/engine_client/document_reader.hpp"

namespace orthros::ui {

class DocumentText : public QTextEdit {
  Q_OBJECT

 public:
  // Characters that are shown at most; the model still gets the whole text.
  static constexpr qsizetype mostShown = 4'000'000;

  explicit DocumentText(QWidget* parent = nullptr);

  void open(const DocumentPtr& document);
  bool isComplete() const { return next_ >= text_.size(); }
  const QString& text() const { return text_; }  // what is shown once complete

 signals:
  void completed();

 private:
  void addPiece();
  qsizetype pieceEnd() const;

  DocumentPtr document_;
  QString text_;
  qsizetype next_ = 0;  // first character that is not in the view yet
  QTimer timer_;
};

}  // namespace orthros::ui
