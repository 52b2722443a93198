#include "ui/chat/answer_view.hpp"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QMessageBox>
#include <QTextBlock>
#include <QTextCursor>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/chat/markdown_writer.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr int frameMs = 16;
// Rendering takes at most one part in five of the window's time.
constexpr qint64 restPerRender = 4;

}  // namespace

AnswerView::AnswerView(QWidget* parent) : QTextBrowser(parent) {
  setAccessibleName(tr("Answer"));
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setOpenLinks(false);
  viewport()->setAutoFillBackground(false);
  document()->setUndoRedoEnabled(false);
  document()->setDocumentMargin(0);
  document()->setDefaultFont(Theme::bodyFont());
  renderTimer_.setSingleShot(true);
  renderTimer_.setTimerType(Qt::PreciseTimer);
  connect(&renderTimer_, &QTimer::timeout, this, &AnswerView::renderPending);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          &AnswerView::followHeight);
  connect(this, &QTextBrowser::anchorClicked, this, &AnswerView::confirmLink);
  connect(&Theme::instance(), &Theme::changed, this, &AnswerView::rewrite);
}

void AnswerView::append(const QString& text) {
  markdown_ += text;
  pending_ += text;
  if (renderTimer_.isActive()) return;
  const qint64 elapsed = sinceRender_.isValid() ? sinceRender_.elapsed() : restMs_;
  renderTimer_.start(static_cast<int>(std::max<qint64>(0, restMs_ - elapsed)));
}

void AnswerView::finish() {
  growing_ = false;
  renderTimer_.stop();
  renderPending();
}

void AnswerView::renderPending() {
  QElapsedTimer clock;
  clock.start();
  for (const QString& finished : splitter_.push(pending_))
    if (!finished.trimmed().isEmpty()) writeFinished(finished);
  pending_.clear();
  writeOpenBlock();
  emit grew();
  restMs_ = std::max<qint64>(frameMs, restPerRender * clock.elapsed());
  sinceRender_.start();
}

void AnswerView::clearOpenBlock(QTextCursor& cursor) {
  cursor.setPosition(openBegin_);
  cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
  cursor.removeSelectedText();
  cursor.setBlockFormat(QTextBlockFormat());
  cursor.setCharFormat(QTextCharFormat());
}

void AnswerView::writeFinished(const QString& markdown) {
  QTextCursor cursor(document());
  cursor.beginEditBlock();
  clearOpenBlock(cursor);
  writeMarkdown(cursor, markdown);
  cursor.movePosition(QTextCursor::End);
  cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
  openBegin_ = cursor.position();
  cursor.endEditBlock();
}

void AnswerView::writeOpenBlock() {
  QTextCursor cursor(document());
  cursor.beginEditBlock();
  clearOpenBlock(cursor);
  const QString open = splitter_.open();
  if (!open.trimmed().isEmpty()) writeMarkdown(cursor, open);
  cursor.movePosition(QTextCursor::End);
  if (growing_) {
    QTextCharFormat mark;
    mark.setFont(Theme::bodyFont());
    mark.setForeground(Theme::instance().tokens().decode);
    cursor.insertText(QStringLiteral(" ▍"), mark);
  } else if (cursor.block().text().isEmpty() && openBegin_ > 0 && cursor.position() == openBegin_) {
    cursor.deletePreviousChar();  // the empty block that waited for more
  }
  cursor.endEditBlock();
}

// Colours live in the document, so another theme writes it anew.
void AnswerView::rewrite() {
  const QString all = markdown_;
  document()->clear();
  splitter_ = MarkdownSplitter();
  openBegin_ = 0;
  pending_ = all;
  renderPending();
}

QVariant AnswerView::loadResource(int, const QUrl&) {
  return {};
}

void AnswerView::followHeight() {
  const int height = static_cast<int>(std::ceil(document()->size().height()));
  if (height != this->height()) setFixedHeight(std::max(height, 1));
}

QSize AnswerView::sizeHint() const {
  return {metric::readingWidth, height()};
}
QSize AnswerView::minimumSizeHint() const {
  return {120, 1};
}

void AnswerView::resizeEvent(QResizeEvent* event) {
  QTextBrowser::resizeEvent(event);
  followHeight();
}

// The conversation scrolls, not the answer in it.
void AnswerView::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

void AnswerView::confirmLink(const QUrl& address) {
  const QString scheme = address.scheme();
  if (scheme != QLatin1String("https") && scheme != QLatin1String("http")) return;
  QMessageBox box(QMessageBox::NoIcon, tr("Open link"), tr("Open this address in the browser?"),
                  QMessageBox::Open | QMessageBox::Cancel, this);
  box.setInformativeText(address.toDisplayString());
  box.setTextFormat(Qt::PlainText);
  if (box.exec() == QMessageBox::Open) QDesktopServices::openUrl(address);
}

}  // namespace orthros::ui
