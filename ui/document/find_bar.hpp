// Finds words in a text view: marks every hit, goes from one to the next, says how many there are.
#pragma once

#include <QFrame>
#include <vector>

class QLabel;
class QLineEdit;
class QTextEdit;

namespace orthros::ui {

class FindBar : public QFrame {
  Q_OBJECT

 public:
  explicit FindBar(QTextEdit* text, QWidget* parent = nullptr);

  void open();
  void close();
  void refresh();  // the text changed
  int hits() const { return static_cast<int>(hits_.size()); }
  int current() const { return current_; }  // from 0; -1 without a hit
  QLineEdit* input() const { return input_; }

 public slots:
  void next() { go(1); }
  void previous() { go(-1); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void search();
  void go(int step);
  void mark();
  void showCount();

  QTextEdit* text_;
  QLineEdit* input_;
  QLabel* count_;
  std::vector<int> hits_;  // positions in the document
  int current_ = -1;
};

}  // namespace orthros::ui
