// Bars for prefill, tail and decode, the run beside full attention: one quantity of a RunPair. What the cost
// model predicted is drawn as an outline over what was measured.
#pragma once

#include <vector>

#include <QtCharts/QChartView>

#include "ui/phases/run_pair.hpp"

class QHorizontalStackedBarSeries;

namespace orthros::ui {

enum class BarQuantity { time, rate };  // s; tokens/s

class PhaseBars : public QChartView {
  Q_OBJECT

 public:
  explicit PhaseBars(BarQuantity quantity, QWidget* parent = nullptr);

  void setRuns(const RunPair& runs);

  struct BarValue {
    double measured = 0;
    double predicted = 0;  // 0: none
    QColor colour;
    QString text;
    QString plan;
  };
  // In drawing order: per phase the run, then full attention. For tests.
  const std::vector<BarValue>& bars() const { return bars_; }

 protected:
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addBar(session::RunPhase phase, const RunRecordPtr& record);
  void rebuildChart();
  void addAxes(double highest);
  double slotHeight() const;
  QRectF slotRect(int slot) const;
  QRectF barRect(size_t index, double value) const;
  void drawBarNotes(QPainter& painter, size_t index) const;

  BarQuantity quantity_;
  std::vector<BarValue> bars_;
  QHorizontalStackedBarSeries* series_ = nullptr;
};

}  // namespace orthros::ui
