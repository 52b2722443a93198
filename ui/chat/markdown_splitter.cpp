#include "ui/chat/markdown_splitter.hpp"

#include <QRegularExpression>

namespace orthros::ui {
namespace {

qsizetype indentOf(QStringView line) {
  qsizetype indent = 0;
  while (indent < line.size() && line[indent] == QLatin1Char(' ')) ++indent;
  return indent;
}

bool isListItem(QStringView line) {
  static const QRegularExpression item(QStringLiteral("^ {0,3}([-*+]|\\d{1,9}[.)])( |$)"));
  return item.match(line.toString()).hasMatch();
}

// Whether the beginning of a line that is still growing shows already what it will be.
bool isPlainly(QStringView line) {
  const qsizetype indent = indentOf(line);
  return indent < line.size() && (line[indent].isLetter() || line.size() - indent > 12);
}

// The fence characters of a line that opens or closes fenced code, else empty.
QStringView fenceOf(QStringView line) {
  const qsizetype indent = indentOf(line);
  const QStringView rest = line.mid(indent);
  if (indent > 3 || rest.isEmpty() || (rest[0] != QLatin1Char('`') && rest[0] != QLatin1Char('~'))) return {};
  qsizetype length = 0;
  while (length < rest.size() && rest[length] == rest[0]) ++length;
  return length >= 3 ? rest.left(length) : QStringView();
}

}  // namespace

QStringList MarkdownSplitter::push(const QString& text) {
  open_ += text;
  QStringList finished;
  while (true) {
    const qsizetype end = boundary();
    if (end > 0) {
      finished.append(takeFinished(end));
    } else if (open_.size() > longestOpenBlock) {
      finished.append(takeFinished(forcedBoundary()));
    } else {
      return finished;
    }
  }
}

// Looks at lines that are new. The position of the line that begins the next block, or 0.
qsizetype MarkdownSplitter::boundary() {
  while (true) {
    const qsizetype lineEnd = open_.indexOf(QLatin1Char('\n'), scanned_);
    const bool complete = lineEnd >= 0;
    const QStringView line = QStringView(open_).mid(scanned_, complete ? lineEnd - scanned_ : -1);
    const bool decided = complete || isPlainly(line);
    if (scanned_ > 0 && blankBefore_ && fence_.isEmpty() && decided && startsNewBlock(line)) return scanned_;
    if (!complete) return 0;
    scanLine(line);
    scanned_ = lineEnd + 1;
  }
}

bool MarkdownSplitter::startsNewBlock(QStringView line) const {
  if (line.trimmed().isEmpty()) return false;
  if (inList_) return indentOf(line) < 2 && !isListItem(line);
  return indentOf(line) < 4;
}

void MarkdownSplitter::scanLine(QStringView line) {
  const bool blank = line.trimmed().isEmpty();
  if (open_.isEmpty() || scanned_ == 0) inList_ = isListItem(line);
  blankBefore_ = blank;
  const QStringView fence = fenceOf(line);
  if (fence.isEmpty()) return;
  if (fence_.isEmpty()) {
    fence_ = fence.toString();
    fenceLine_ = line.toString() + QLatin1Char('\n');
  } else if (fence[0] == fence_[0] && fence.size() >= fence_.size()) {
    fence_.clear();
  }
}

// An overlong block: cut after the last complete line, or inside a line that is overlong itself.
qsizetype MarkdownSplitter::forcedBoundary() const {
  if (scanned_ > longestOpenBlock / 2) return scanned_;
  const qsizetype space = open_.lastIndexOf(QLatin1Char(' '), longestOpenBlock);
  if (space > longestOpenBlock / 2) return space + 1;
  const bool insidePair = open_[longestOpenBlock - 1].isHighSurrogate();
  return insidePair ? longestOpenBlock - 1 : longestOpenBlock;
}

QString MarkdownSplitter::takeFinished(qsizetype length) {
  QString finished = prefix_ + open_.left(length);
  open_.remove(0, length);
  scanned_ = 0;
  blankBefore_ = false;
  prefix_.clear();
  if (!fence_.isEmpty()) {  // cut inside code: close it here, open it again for what follows
    finished += (finished.endsWith(QLatin1Char('\n')) ? QString() : QStringLiteral("\n")) + fence_;
    prefix_ = fenceLine_;
  }
  return finished;
}

}  // namespace orthros::ui
