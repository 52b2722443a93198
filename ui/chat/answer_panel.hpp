// An answer from its first progress to its figures: reading bar, text, per-answer line, error.
#pragma once

#include <QWidget>

#include "ui/chat/conversation.hpp"
#include "ui/chat/reading_progress.hpp"

class QLabel;
class QPushButton;

namespace orthros::ui {

class AnswerView;
class Bar;

class AnswerPanel : public QWidget {
  Q_OBJECT

 public:
  explicit AnswerPanel(Side side, QWidget* parent = nullptr);

  void showWaiting(const QString& text);  // before the engine reads: loading the baseline
  void showReading(const ReadingProgress& progress);
  void append(const QString& text);
  void end(const Answer& answer);
  void setCanCompare(bool can);
  AnswerView* view() const { return view_; }
  QString figures() const;  // the per-answer line as plain text

 signals:
  void grew();
  void compareRequested();
  void phasesRequested();

 private:
  QWidget* makeReadingRow();
  QWidget* makeActionRow();
  void showFigures();

  Side side_;
  RunRecordPtr record_;
  ReadingProgress reading_;
  QWidget* readingRow_;
  QLabel* readingText_;
  Bar* readingBar_;
  AnswerView* view_;
  QLabel* error_;
  QLabel* figures_;
  QWidget* actions_;
  QPushButton* compare_;
};

// "prefill 0.42 s for 214 new tokens · …" as rich text, from the record alone.
QString figuresText(const session::RunRecord& record);

}  // namespace orthros::ui
