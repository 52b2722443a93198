// The page that shows where time goes, for one prompt under the plan in use and under full attention.
#pragma once

#include <QWidget>

#include "ui/phases/run_pair.hpp"

class QBoxLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace orthros::ui {

class KeyFigures;
class PhaseBars;
class TextTableModel;
class Timeline;

class PhasesPage : public QWidget {
  Q_OBJECT

 public:
  explicit PhasesPage(QWidget* parent = nullptr);

  void setRuns(const RunPair& runs);
  void setCanCompare(bool can);
  const RunPair& runs() const { return runs_; }
  QWidget* chart() const { return chart_; }  // what is saved as a picture
  KeyFigures* keyFigures() const { return keyFigures_; }
  TextTableModel* figuresModel() const { return figuresModel_; }
  void setTableVisible(bool visible);
  void setOperationsVisible();
  bool tableVisible() const;

  // Gives the page's Export button its entries.
  void setExportActions(const QList<class QAction*>& actions);

 signals:
  void compareRequested();
  void chatRequested();
  void tableVisibilityChanged(bool visible);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeHeader();
  QWidget* makeEmptyState();
  QWidget* makeChart();
  QWidget* makeBars(QWidget* parent);
  QWidget* makeOperations();
  void showPart();
  void showRuns();

  RunPair runs_;
  QLabel* subtitle_;
  QWidget* tools_;
  QPushButton* phasesPart_;
  QPushButton* operationsPart_;
  QPushButton* tablePart_;
  QPushButton* export_;
  QStackedWidget* stack_;
  QWidget* empty_;
  QWidget* chart_;
  QWidget* operations_;
  Timeline* timeline_;
  QBoxLayout* lowerCards_;  // bars and key figures, beside each other where there is room
  PhaseBars* timeBars_;
  PhaseBars* rateBars_;
  KeyFigures* keyFigures_;
  TextTableModel* figuresModel_;
  QTableView* figuresTable_;
  TextTableModel* operationsModel_;
  QLabel* operationsNote_;
};

}  // namespace orthros::ui
