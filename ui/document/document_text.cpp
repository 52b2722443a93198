#include "ui/document/document_text.hpp"

#include <QElapsedTimer>
#include <QTextBlock>
#include <QTextCursor>
#include <algorithm>

#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr qsizetype pieceLength = 16 * 1024;
constexpr qint64 turnBudgetMs = 6;
// A longer line is shown as several: laying out a line of a megabyte would take seconds.
constexpr qsizetype longestLine = 4000;

// Lines that are too long are broken after a space, else anywhere.
QString breakLongLines(const QString& text) {
  QString broken;
  broken.reserve(text.size() + text.size() / longestLine + 1);
  qsizetype at = 0;
  while (at < text.size()) {
    const qsizetype newline = text.indexOf(QLatin1Char('\n'), at);
    const qsizetype lineEnd = newline < 0 ? text.size() : newline + 1;
    if (lineEnd - at <= longestLine) {
      broken += QStringView(text).mid(at, lineEnd - at);
      at = lineEnd;
      continue;
    }
    const qsizetype space = text.lastIndexOf(QLatin1Char(' '), at + longestLine);
    const qsizetype end = space > at ? space : at + longestLine;
    broken += QStringView(text).mid(at, end - at);
    broken += QLatin1Char('\n');
    at = space > at ? end + 1 : end;
  }
  return broken;
}

QTextBlockFormat lineFormat() {
  QTextBlockFormat format;
  format.setLineHeight(145, QTextBlockFormat::ProportionalHeight);
  return format;
}

}  // namespace

DocumentText::DocumentText(QWidget* parent) : QTextEdit(parent) {
  setAccessibleName(tr("Document text"));
  setFrameShape(QFrame::NoFrame);
  setReadOnly(true);
  setAcceptRichText(false);
  setUndoRedoEnabled(false);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setTabChangesFocus(true);
  document()->setDocumentMargin(20);
  document()->setDefaultFont(Theme::documentFont(metric::bodyText));
  viewport()->setAutoFillBackground(false);
  connect(&timer_, &QTimer::timeout, this, &DocumentText::addPiece);
}

void DocumentText::open(const DocumentPtr& document) {
  document_ = document;
  clear();
  const size_t bytes = document ? std::min<size_t>(document->utf8.size(), 4 * mostShown) : 0;
  text_ = document ? QString::fromUtf8(document->utf8.data(), static_cast<qsizetype>(bytes)) : QString();
  const bool cut = text_.size() > mostShown || (document && bytes < document->utf8.size());
  text_ = breakLongLines(text_.left(mostShown));
  if (cut) text_ += tr("\n\n[Only the beginning is shown here. The model is given the whole text.]");
  next_ = 0;
  addPiece();
  moveCursor(QTextCursor::Start);
  if (!isComplete()) timer_.start(0);
}

// Ends behind a line, so that no line is touched twice.
qsizetype DocumentText::pieceEnd() const {
  const qsizetype wanted = next_ + pieceLength;
  if (wanted >= text_.size()) return text_.size();
  const qsizetype lineEnd = text_.indexOf(QLatin1Char('\n'), wanted);
  return lineEnd < 0 ? text_.size() : lineEnd + 1;
}

void DocumentText::addPiece() {
  QElapsedTimer clock;
  clock.start();
  QTextCursor cursor(document());
  do {
    const qsizetype end = pieceEnd();
    cursor.movePosition(QTextCursor::End);
    cursor.setBlockFormat(lineFormat());
    cursor.insertText(text_.mid(next_, end - next_));
    next_ = end;
  } while (!isComplete() && clock.elapsed() < turnBudgetMs);
  if (!isComplete()) return;
  timer_.stop();
  emit completed();
}

}  // namespace orthros::ui
