#include "ui/phases/phase_bars.hpp"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QPainter>
#include <QResizeEvent>
#include <QValueAxis>
#include <algorithm>
#include <array>

#include "ui/format/numbers.hpp"
#include "ui/phases/timeline.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

using session::RunPhase;

constexpr std::array phases = {RunPhase::prefill, RunPhase::tail, RunPhase::decode};
constexpr int slotsPerGroup = 3;  // the phase's name, the run, full attention
constexpr int slotCount = slotsPerGroup * static_cast<int>(phases.size());
constexpr double barThickness = 0.68;  // of a slot
constexpr int namesWidth = 64;         // left of the bars
constexpr int valuesWidth = 68;        // right of the longest bar

// Slots count from below.
int slotOfGroup(size_t group) {
  return slotCount - 1 - static_cast<int>(group) * slotsPerGroup;
}
int slotOfBar(size_t bar) {
  return slotOfGroup(bar / 2) - 1 - static_cast<int>(bar % 2);
}

QString phaseName(RunPhase phase) {
  switch (phase) {
    case RunPhase::prefill:
      return PhaseBars::tr("prefill");
    case RunPhase::tail:
      return PhaseBars::tr("tail");
    case RunPhase::decode:
      return PhaseBars::tr("decode");
  }
  return {};
}

}  // namespace

PhaseBars::PhaseBars(BarQuantity quantity, QWidget* parent)
    : QChartView(new QChart, parent), quantity_(quantity) {
  setFrameShape(QFrame::NoFrame);
  setBackgroundBrush(Qt::NoBrush);
  viewport()->setAutoFillBackground(false);
  setMinimumSize(240, 232);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(quantity == BarQuantity::time ? tr("Time per phase") : tr("Tokens per second per phase"));
  chart()->setBackgroundVisible(false);
  chart()->setMargins(QMargins());
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
  chart()->legend()->hide();
}

void PhaseBars::setRuns(const RunPair& runs) {
  bars_.clear();
  for (const RunPhase phase : phases) {
    addBar(phase, runs.main);
    addBar(phase, runs.baseline);
  }
  rebuildChart();
}

void PhaseBars::addBar(RunPhase phase, const RunRecordPtr& record) {
  BarValue bar;
  if (record) {
    const session::PhaseTotals& totals = record->totals(phase);
    const bool time = quantity_ == BarQuantity::time;
    bar.colour = phaseColour(phase, *record);
    bar.plan = planTitle(*record);
    bar.measured = time ? static_cast<double>(totals.wallNs) * 1e-9 : totals.tokensPerSecond();
    bar.predicted =
        time ? static_cast<double>(predictedNs(*record, phase)) * 1e-9 : predictedRate(*record, phase);
    bar.text = totals.rows == 0 ? QStringLiteral("–")
               : time           ? durationText(totals.wallNs)
                                : rateNumberText(bar.measured);
  }
  bars_.push_back(std::move(bar));
}

// A bar set has one colour, so there is one set per bar; each is zero outside its own slot.
void PhaseBars::rebuildChart() {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  series_ = new QHorizontalStackedBarSeries;
  series_->setBarWidth(barThickness);
  double highest = 0;
  for (size_t index = 0; index < bars_.size(); ++index) {
    auto* set = new QBarSet(QString());
    for (int slot = 0; slot < slotCount; ++slot)
      set->append(slot == slotOfBar(index) ? bars_[index].measured : 0.0);
    set->setBrush(bars_[index].colour);
    set->setPen(Qt::NoPen);
    series_->append(set);
    highest = std::max({highest, bars_[index].measured, bars_[index].predicted});
  }
  chart()->addSeries(series_);
  addAxes(highest > 0 ? highest : 1);
  viewport()->update();
}

// Each bar carries its own number, so the axes only scale; where zero is shows drawForeground.
void PhaseBars::addAxes(double highest) {
  auto* up = new QBarCategoryAxis;
  for (int slot = 0; slot < slotCount; ++slot) up->append(QString::number(slot));
  up->setLabelsVisible(false);
  up->setGridLineVisible(false);
  up->setLineVisible(false);
  auto* across = new QValueAxis;
  across->setRange(0, highest);
  across->setLabelsVisible(false);
  across->setGridLineVisible(false);
  across->setLineVisible(false);
  chart()->addAxis(up, Qt::AlignLeft);
  chart()->addAxis(across, Qt::AlignBottom);
  series_->attachAxis(up);
  series_->attachAxis(across);
}

double PhaseBars::slotHeight() const {
  return chart()->plotArea().height() / slotCount;
}

QRectF PhaseBars::slotRect(int slot) const {
  const QRectF plot = chart()->mapRectToScene(chart()->plotArea());
  return QRectF(plot.left(), plot.bottom() - (slot + 1) * slotHeight(), plot.width(), slotHeight());
}

QRectF PhaseBars::barRect(size_t index, double value) const {
  const double right =
      chart()->mapToScene(chart()->mapToPosition(QPointF(value, slotOfBar(index)), series_)).x();
  const QRectF slot = slotRect(slotOfBar(index));
  const double thickness = slotHeight() * barThickness;
  return QRectF(slot.left(), slot.center().y() - thickness / 2, right - slot.left(), thickness);
}

void PhaseBars::drawForeground(QPainter* painter, const QRectF&) {
  if (!series_ || bars_.empty()) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, false);
  const QRectF plot = chart()->mapRectToScene(chart()->plotArea());
  painter->setPen(Theme::instance().tokens().line);
  painter->drawLine(plot.topLeft(), plot.bottomLeft());
  for (size_t index = 0; index < bars_.size(); ++index) drawBarNotes(*painter, index);
  painter->setFont(Theme::font(metric::captionText, QFont::Medium));
  painter->setPen(Theme::instance().tokens().text);
  for (size_t group = 0; group < phases.size(); ++group) {
    const QRectF slot = slotRect(slotOfGroup(group));
    painter->drawText(QRectF(0, slot.top(), 160, slot.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      phaseName(phases[group]));
  }
  painter->restore();
}

void PhaseBars::drawBarNotes(QPainter& painter, size_t index) const {
  const Tokens& tokens = Theme::instance().tokens();
  const BarValue& bar = bars_[index];
  const QRectF slot = slotRect(slotOfBar(index));
  painter.setFont(Theme::font(metric::captionText));
  painter.setPen(tokens.secondary);
  painter.drawText(QRectF(0, slot.top(), namesWidth - 8, slot.height()), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(bar.plan, Qt::ElideRight, namesWidth - 8));
  if (bar.predicted > 0) {
    painter.setPen(QPen(tokens.text, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(barRect(index, bar.predicted).adjusted(0, -3, 0, 2));
  }
  const QRectF longest = barRect(index, std::max(bar.measured, bar.predicted));
  painter.setPen(tokens.text);
  painter.drawText(QRectF(longest.right() + 8, slot.top(), valuesWidth, slot.height()),
                   Qt::AlignLeft | Qt::AlignVCenter, bar.text);
}

void PhaseBars::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  chart()->setPlotArea(
      QRectF(QPointF(), QSizeF(viewport()->size())).adjusted(namesWidth, 0, -valuesWidth, -1));
  viewport()->update();
}

}  // namespace orthros::ui
