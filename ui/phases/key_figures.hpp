// The few numbers of a comparison that matter most, large.
#pragma once

#include <QFrame>

#include "ui/phases/run_pair.hpp"

class QLabel;
class QPushButton;

namespace orthros::ui {

class KeyFigures : public QFrame {
  Q_OBJECT

 public:
  explicit KeyFigures(QWidget* parent = nullptr);

  void setRuns(const RunPair& runs);
  void setCanCompare(bool can);
  QString firstTokenText() const;
  QString soonerText() const;

 signals:
  void compareRequested();

 private:
  struct Entry {
    QLabel* number;
    QLabel* caption;
  };
  Entry addEntry(class QGridLayout* grid, int row, int column);
  void showDecode(const RunPair& runs);

  Entry firstToken_, sooner_, decode_, against_;
  QLabel* note_;
  QPushButton* compare_;
};

}  // namespace orthros::ui
