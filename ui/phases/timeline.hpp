// A row per run with one block per batch, on one time axis: where the time goes and when the first token
// comes.
#pragma once

#include <QWidget>

#include "ui/phases/run_pair.hpp"

namespace orthros::ui {

class Timeline : public QWidget {
  Q_OBJECT

 public:
  explicit Timeline(QWidget* parent = nullptr);

  void setRuns(const RunPair& runs);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;  // tool tips

 private:
  void fitAxis();
  QRectF plot() const;
  QRectF rowRect(int row) const;
  double xOf(double ns) const;
  bool hasRoomBeside(double x, int textWidth) const;
  void paintLegend(QPainter& painter) const;
  void paintAxis(QPainter& painter) const;
  void paintRow(QPainter& painter, int row, const session::RunRecord& record) const;
  void paintRowLabel(QPainter& painter, int row, const QString& title, const QString& detail) const;
  void paintRowResult(QPainter& painter, int row, const session::RunRecord& record) const;
  void paintUnmeasured(QPainter& painter) const;
  void paintBracket(QPainter& painter) const;
  QString tipAt(const QPointF& position) const;

  RunPair runs_;
  double endNs_ = 1;   // right end of the axis
  double stepNs_ = 1;  // between two labels
};

// The colour of a phase of a run; window rows and full rows of a prompt differ.
QColor phaseColour(session::RunPhase phase, const session::RunRecord& record);

}  // namespace orthros::ui
