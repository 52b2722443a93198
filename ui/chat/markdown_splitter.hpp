// Cuts growing Markdown into blocks that are finished and one that is still open, so that a long answer is
// parsed once and not once per token.
#pragma once

#include <QString>
#include <QStringList>

namespace orthros::ui {

class MarkdownSplitter {
 public:
  // A block above this length is cut even where Markdown would let it go on: at the end of a line, else at a
  // space.
  static constexpr qsizetype longestOpenBlock = 6000;

  // Appends text. Returns the blocks that it finished, each Markdown of its own; mostly none.
  QStringList push(const QString& text);
  // The Markdown of the block that may still change.
  QString open() const { return prefix_ + open_; }

 private:
  QString takeFinished(qsizetype length);
  qsizetype boundary();
  qsizetype forcedBoundary() const;
  bool startsNewBlock(QStringView line) const;
  void scanLine(QStringView line);

  QString open_;
  QString prefix_;            // the opening line of a code fence that was cut
  QString fence_;             // the fence that is open at scanned_, empty outside code
  QString fenceLine_;         // its whole opening line
  qsizetype scanned_ = 0;     // complete lines of open_ that have been looked at
  bool blankBefore_ = false;  // the line before scanned_ is blank
  bool inList_ = false;       // the open block is a list
};

}  // namespace orthros::ui
