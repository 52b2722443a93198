#include "ui/chat/question_edit.hpp"

#include <QAbstractTextDocumentLayout>
#include <QKeyEvent>
#include <QMimeData>
#include <QUrl>
#include <algorithm>

#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr int mostLines = 6;

}  // namespace

QStringList localFiles(const QMimeData* source) {
  QStringList paths;
  if (!source) return paths;
  for (const QUrl& url : source->urls())
    if (url.isLocalFile()) paths.append(url.toLocalFile());
  return paths;
}

QuestionEdit::QuestionEdit(QWidget* parent) : QPlainTextEdit(parent) {
  setAccessibleName(tr("Question"));
  setPlaceholderText(tr("Ask about the documents, or drop files here"));
  setFrameShape(QFrame::NoFrame);
  setTabChangesFocus(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  document()->setDocumentMargin(4);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          &QuestionEdit::followContents);
  followContents();
}

void QuestionEdit::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const bool plain = !(event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier | Qt::AltModifier));
  if (enter && composing_) {
    event->ignore();  // it ends the composition, not the question
    return;
  }
  if (enter && plain) {
    emit sendRequested();
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
}

void QuestionEdit::inputMethodEvent(QInputMethodEvent* event) {
  composing_ = !event->preeditString().isEmpty();
  QPlainTextEdit::inputMethodEvent(event);
}

bool QuestionEdit::canInsertFromMimeData(const QMimeData* source) const {
  return !localFiles(source).isEmpty() || QPlainTextEdit::canInsertFromMimeData(source);
}

void QuestionEdit::insertFromMimeData(const QMimeData* source) {
  const QStringList files = localFiles(source);
  if (!files.isEmpty())
    emit filesOffered(files);
  else
    QPlainTextEdit::insertFromMimeData(source);
}

int QuestionEdit::heightOf(int lines) const {
  return lines * fontMetrics().lineSpacing() + 2 * static_cast<int>(document()->documentMargin());
}

QSize QuestionEdit::sizeHint() const {
  const int lines = std::clamp(static_cast<int>(document()->size().height()), 1, mostLines);
  return {metric::readingWidth, heightOf(lines)};
}

void QuestionEdit::followContents() {
  const int lines = static_cast<int>(document()->size().height());
  setVerticalScrollBarPolicy(lines > mostLines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
  setFixedHeight(sizeHint().height());
}

}  // namespace orthros::ui
